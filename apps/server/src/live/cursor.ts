/** A place in a session's log, opaque to clients. Nothing, for what was never one. */
export function readCursor(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export const cursorOf = (seq: number): string => String(seq);
