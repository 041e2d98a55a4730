/** Frames that follow each other within this come from a page that does not rest. */
const MAX_GAP_MS = 300;

/** Tells a page that moves without end from one that merely changes: its frames keep coming, for longer than `patienceMs`. */
export function watchForRest(patienceMs: number, startedAt = performance.now()) {
  let movingSince = startedAt;
  let last = startedAt;
  return {
    /** A frame has come. True if the page has not rested for as long as we have patience. */
    isRestless(at = performance.now()): boolean {
      if (at - last > MAX_GAP_MS) movingSince = at;
      last = at;
      return at - movingSince >= patienceMs;
    },
  };
}
