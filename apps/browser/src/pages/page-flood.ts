// Counts the pages that a session wanted and did not get. A few are told of; as many as it may have in a short time, or
// some again and again, end it, because each one costs the whole host.

const WINDOW_MS = 10_000;
/** So many times in a row are no accident. */
const WINDOWS = 3;

export function createPageFlood(limit: number, now = () => performance.now()) {
  let windowEnd = Number.NEGATIVE_INFINITY;
  let windows = 0;
  let refused = 0;
  return {
    /** What to tell of one more that was refused: once in a while, and that it is too much. */
    add(): 'first' | 'flood' | undefined {
      const isNew = now() > windowEnd;
      if (isNew) {
        windows = now() > windowEnd + WINDOW_MS ? 1 : windows + 1;
        [windowEnd, refused] = [now() + WINDOW_MS, 0];
      }
      refused += 1;
      if (refused === limit || (isNew && windows === WINDOWS)) return 'flood';
      return isNew ? 'first' : undefined;
    },
  };
}
