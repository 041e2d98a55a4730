// Tells a page that moves without end from one that merely changes.

/** Frames that follow each other within this come from a page that does not rest. */
const maxGapMs = 300;
/** The same where frames are asked for less often: so much more than the time between two of them. */
const lateMs = 200;

/** A page moves without end if its frames keep coming for longer than `patienceMs`. */
export function watchForRest(patienceMs: number, intervalMs = () => 100, startedAt = performance.now()) {
  let movingSince = startedAt;
  let last = startedAt;
  return {
    /** A frame has come. True if the page has not rested for as long as we have patience. */
    isRestless(at = performance.now()): boolean {
      if (at - last > Math.max(maxGapMs, intervalMs() + lateMs)) movingSince = at;
      last = at;
      return at - movingSince >= patienceMs;
    },
  };
}
