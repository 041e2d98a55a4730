// Counts the pages that a session wanted and did not get. A few are told of; as many as it may have in a short time, or
// some again and again, end it, because each one costs the whole host.

const windowMs = 10_000;
/** This many in a row are no accident. */
const maxWindows = 3;

export function createPageFlood(limit: number, now = () => performance.now()) {
  let windowEnd = Number.NEGATIVE_INFINITY;
  let windows = 0;
  let refused = 0;
  return {
    /** What to tell of one more that was refused: once in a while, and that it is too much. */
    add(): 'first' | 'flood' | undefined {
      const isNew = now() > windowEnd;
      if (isNew) {
        windows = now() > windowEnd + windowMs ? 1 : windows + 1;
        [windowEnd, refused] = [now() + windowMs, 0];
      }
      refused += 1;
      if (refused === limit || (isNew && windows === maxWindows)) return 'flood';
      return isNew ? 'first' : undefined;
    },
  };
}
