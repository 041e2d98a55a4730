// Tells a page that moves without end from one that merely changes.

/** Frames that follow each other within this come from a page that does not rest. */
const maxGapMs = 300;

/** A page moves without end if its frames keep coming for longer than `patienceMs`. */
export function watchForRest(patienceMs: number, startedAt = performance.now()) {
  let movingSince = startedAt;
  let last = startedAt;
  return {
    /** A frame has come. True if the page has not rested for as long as we have patience. */
    isRestless(at = performance.now()): boolean {
      if (at - last > maxGapMs) movingSince = at;
      last = at;
      return at - movingSince >= patienceMs;
    },
  };
}
