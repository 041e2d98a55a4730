// Everything that waits on the bus waits here: with a deadline, and an optional signal to give up sooner.

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

/** Node runs a timer beyond this at once, which would turn "very patient" into "not at all". */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function checkTimeout(timeoutMs: number, maxMs = LONGEST_TIMER_MS): number {
  if (timeoutMs >= 1 && timeoutMs <= maxMs) return timeoutMs;
  throw new RangeError(`timeoutMs must be from 1 to ${maxMs}, not ${timeoutMs}`);
}

/** The outcome of `work`, or a WaitError. The work itself goes on: what it yields later is ignored. */
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
