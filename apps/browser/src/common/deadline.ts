import { WaitError } from '@pilothouse/bus';

/** The moment by which something must be over, and the signal that may end it sooner. */
export type Deadline = {
  /** At least 1: the browser library takes 0 for "for ever". */
  leftMs(): number;
  isOver(): boolean;
  signal: AbortSignal;
  /** The same, with some time kept back for what must come after. */
  keeping(ms: number): Deadline;
  /** The same, but at most so long from now. */
  atMost(ms: number): Deadline;
  /** The same, ended by another signal. */
  until(signal: AbortSignal): Deadline;
};

export function startDeadline(ms: number, signal: AbortSignal): Deadline {
  return endingAt(performance.now() + ms, signal);
}

function endingAt(end: number, signal: AbortSignal): Deadline {
  const left = () => end - performance.now();
  return {
    leftMs: () => Math.max(1, Math.floor(left())),
    isOver: () => signal.aborted || left() <= 0,
    signal,
    keeping: (ms) => endingAt(end - ms, signal),
    atMost: (ms) => endingAt(Math.min(end, performance.now() + ms), signal),
    until: (other) => endingAt(end, other),
  };
}

/** The outcome of `work`, or a WaitError. The work itself goes on: the browser cannot be told to stop in the middle. */
export function within<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = () => reject(new WaitError('aborted'));
  const timer = setTimeout(() => reject(new WaitError('timeout')), deadline.leftMs());
  deadline.signal.addEventListener('abort', onAbort, { once: true });
  if (deadline.signal.aborted) onAbort();
  work.then(resolve, reject);
  return promise.finally(() => {
    clearTimeout(timer);
    deadline.signal.removeEventListener('abort', onAbort);
  });
}

/** Sleeps, but not beyond the deadline. */
export async function pause(ms: number, deadline: Deadline): Promise<void> {
  // Running out of time is what the caller's own check of the deadline is for.
  await within(deadline.atMost(ms), new Promise<never>(() => {})).catch(() => undefined);
}
