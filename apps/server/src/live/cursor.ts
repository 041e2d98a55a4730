// The cursor of an event stream: a place in the log of a session, opaque to clients.

/** Undefined if the text is no cursor. */
export function readCursor(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Why a stream cannot go on from this cursor without a gap; undefined if it can. Events up to `from` are not for this
 * stream.
 */
export function faultOf(
  cursor: string | undefined,
  { first, last }: { first: number; last: number },
  from = 0,
): 'cursor_unknown' | 'cursor_expired' | undefined {
  if (cursor === undefined) return undefined;
  const seq = readCursor(cursor);
  if (seq === undefined || seq > last) return 'cursor_unknown';
  // The event after it was removed.
  return Math.max(seq, from) + 1 < first ? 'cursor_expired' : undefined;
}

export const cursorOf = (seq: number): string => String(seq);
