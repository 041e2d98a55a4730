// The cursor of an event stream: a place in the log of a session, opaque to clients.

/** Undefined if the text is no cursor. */
export function readCursor(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export const cursorOf = (seq: number): string => String(seq);
