// Looks at everything that is watched, again and again while there is any. The next look does not begin before the last one
// is answered, so a slow database is asked less often.

type Options<T> = { look: (watched: readonly T[]) => Promise<void>; everyMs: number };

export function createWatchLoop<T>({ look, everyMs }: Options<T>) {
  const watched = new Set<T>();
  let isRunning = false;

  function lookLater(): void {
    if (isRunning || watched.size === 0) return;
    isRunning = true;
    setTimeout(async () => {
      // If the database is away, nothing is known; whatever is watched has a deadline of its own.
      if (watched.size > 0) await look([...watched]).catch(() => {});
      isRunning = false;
      lookLater();
    }, everyMs);
  }

  return {
    all: (): Iterable<T> => watched,
    add(one: T): void {
      watched.add(one);
      lookLater();
    },
    remove: (one: T): void => void watched.delete(one),
  };
}
