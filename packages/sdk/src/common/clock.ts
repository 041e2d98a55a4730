// Time and sleep.

/** The source of time; tests pass their own. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Waits, or throws the signal's reason as soon as it is aborted. No timer is left behind. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export const systemClock: Clock = { now: () => Date.now(), sleep };

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
