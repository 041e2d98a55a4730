// How large the parts of a request may be.

export const sizes = {
  promptChars: 8000,
  /** Actions of a person in one request. */
  inputActions: 64,
  /** Files in one request, and what they are in all: with a chat, and for a file chooser. */
  files: 3,
  chatFilesKib: 150,
  chooserFilesKib: 45,
} as const;
