// The present time for every part of the page that shows it: one timer, which runs while any of them listens.

export type Clock = {
  /** The same until the next tick, so that everything drawn between two ticks says the same. */
  now(): number;
  /** Calls the listener after each tick. Returns a function that removes it. */
  onTick(listener: () => void): () => void;
  /** Calls all listeners, at the same time as before: something that is read along with the time has changed. */
  tell(): void;
};

type Options = { read?: () => number; everyMs?: number };

export function createClock({ read = Date.now, everyMs = 1000 }: Options = {}): Clock {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let at = read();
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  const tick = () => {
    at = read();
    tell();
  };
  return {
    now() {
      // Nobody may have listened for long.
      if (Math.abs(read() - at) >= everyMs) at = read();
      return at;
    },
    onTick(listener) {
      listeners.add(listener);
      timer ??= setInterval(tick, everyMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    tell,
  };
}

export const clock = createClock();
