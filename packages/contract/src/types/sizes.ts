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

/** The limits of a task: what a chat gets that names none, and what it may name. */
export const taskLimits = {
  steps: { usual: 40, least: 1, most: 200 },
  secs: { usual: 1800, least: 10, most: 86_400 },
  sites: { most: 100 },
  /** What a model may use. */
  tokens: { usual: 400_000, least: 1000, most: 10_000_000 },
  dollars: { most: 1000 },
} as const;
