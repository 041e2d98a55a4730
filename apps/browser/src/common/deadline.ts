// Deadlines: the moment by which something must be over, the signal that may end it sooner, and what is waited for.

import { WaitError } from '@pilothouse/bus';

const maxNotes = 3;

export type Deadline = {
  /** At least 1: Playwright takes 0 for "for ever". */
  leftMs(): number;
  isOver(): boolean;
  signal: AbortSignal;
  /** The same, earlier by this time, which is kept for what must come after. */
  keeping(ms: number): Deadline;
  /** The same, but at most this long from now. */
  atMost(ms: number): Deadline;
  /** The same, ended by another signal. */
  until(signal: AbortSignal): Deadline;
  /** Says what is waited for now, for the failure text of a step. Never text of a page: users and logs get to see it. */
  note(what: string): void;
  /** The last notes, oldest first, also of the deadlines that were derived from this one. */
  trail(): readonly string[];
};

export function startDeadline(ms: number, signal: AbortSignal): Deadline {
  return endingAt(performance.now() + ms, signal, []);
}

function endingAt(end: number, signal: AbortSignal, notes: string[]): Deadline {
  const left = () => end - performance.now();
  return {
    leftMs: () => Math.max(1, Math.floor(left())),
    isOver: () => signal.aborted || left() <= 0,
    signal,
    keeping: (ms) => endingAt(end - ms, signal, notes),
    atMost: (ms) => endingAt(Math.min(end, performance.now() + ms), signal, notes),
    until: (other) => endingAt(end, other, notes),
    note(what) {
      if (notes.at(-1) === what) return;
      notes.push(what);
      if (notes.length > maxNotes) notes.shift();
    },
    trail: () => notes,
  };
}

/** The outcome of `work`, or a WaitError. The work itself goes on: the browser cannot be stopped in the middle. */
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
  // It always rejects. The caller checks the deadline itself.
  await within(deadline.atMost(ms), new Promise<never>(() => {})).catch(() => undefined);
}
