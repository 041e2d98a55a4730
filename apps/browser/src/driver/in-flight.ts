// The operations that are in flight in the browser. The browser cannot be told to stop in the middle of one, so a new
// driver waits until each has ended, and no other begins.

import { type Deadline, within } from '../common/deadline.ts';
import { noLease, StepFailure } from '../common/failure.ts';

export type InFlight = {
  /** Runs one operation that cannot be divided, unless it is too late for it to begin. */
  run<T>(deadline: Deadline, operation: () => Promise<T>): Promise<T>;
  /** Whether no operation is in flight, after waiting for at most this long. */
  idle(timeoutMs: number): Promise<boolean>;
};

/** `isHeld`: whether this host may act. Asked before each operation: a process that stood still may wake late. */
export function createInFlight(isHeld: () => boolean): InFlight {
  const begun = new Set<Promise<unknown>>();

  return {
    async run(deadline, operation) {
      if (!isHeld()) throw noLease();
      if (deadline.isOver()) throw new StepFailure('timeout', 'there was no time left for it');
      const done = operation();
      const over = done.then(
        () => undefined,
        () => undefined,
      );
      begun.add(over);
      void over.then(() => begun.delete(over));
      return within(deadline, done);
    },
    async idle(timeoutMs) {
      if (begun.size === 0) return true;
      const late = Promise.withResolvers<false>();
      const timer = setTimeout(() => late.resolve(false), timeoutMs);
      const all = Promise.all(begun).then(() => true);
      return Promise.race([all, late.promise]).finally(() => clearTimeout(timer));
    },
  };
}
