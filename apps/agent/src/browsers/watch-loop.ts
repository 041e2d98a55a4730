// Looks at everything that is watched, again and again while there is any, and at once where it is asked to. The next look does
// not begin before the last one is answered, so a slow database is asked less often.

type Options<T> = { look: (watched: readonly T[]) => Promise<void>; everyMs: number };

export function createWatchLoop<T>({ look, everyMs }: Options<T>) {
  const watched = new Set<T>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  /** Something changed during a look, which may have missed it. */
  let isStale = false;

  function lookIn(ms: number): void {
    if (timer || isLooking || watched.size === 0) return;
    timer = setTimeout(lookAtAll, ms);
  }

  async function lookAtAll(): Promise<void> {
    timer = undefined;
    isLooking = true;
    isStale = false;
    // If the database is away, nothing is known; whatever is watched has a deadline of its own.
    if (watched.size > 0) await look([...watched]).catch(() => {});
    isLooking = false;
    lookIn(isStale ? 0 : everyMs);
  }

  return {
    all: (): Iterable<T> => watched,
    add(one: T): void {
      watched.add(one);
      lookIn(everyMs);
    },
    remove: (one: T): void => void watched.delete(one),
    /** Something may have changed: looks without waiting for the interval. */
    lookNow(): void {
      if (isLooking) isStale = true;
      clearTimeout(timer);
      timer = undefined;
      lookIn(0);
    },
  };
}
