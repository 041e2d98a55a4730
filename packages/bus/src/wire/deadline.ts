// Waits with a deadline and an optional signal. Everything that waits on the bus uses it.

export interface Wait {
  timeoutMs: number;
  signal?: AbortSignal;
}

export class WaitError extends Error {
  override name = 'WaitError';
  readonly reason: 'timeout' | 'aborted';

  constructor(reason: 'timeout' | 'aborted', options?: ErrorOptions) {
    super(reason, options);
    this.reason = reason;
  }
}

/** Node fires a longer timer at once. */
const longestTimerMs = 2 ** 31 - 1;

export function checkTimeout(timeoutMs: number, maxMs = longestTimerMs): number {
  if (timeoutMs >= 1 && timeoutMs <= maxMs) return timeoutMs;
  throw new RangeError(`timeoutMs must be from 1 to ${maxMs}, not ${timeoutMs}`);
}

/** The result of `work`, or a WaitError. The work itself goes on; a later result is ignored. */
export function waitFor<T>(work: Promise<T>, { timeoutMs, signal }: Wait): Promise<T> {
  checkTimeout(timeoutMs);
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = () => reject(new WaitError('aborted'));
  const timer = setTimeout(() => reject(new WaitError('timeout')), timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  work.then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  });
}
