// What is being done to the browser right now. The browser cannot be told to stop in the middle of one thing, so
// whoever takes the wheel waits until what was begun is over, and nothing more begins.

import { type Deadline, within } from './deadline.ts';
import { noLease, StepFailure } from './failure.ts';

export type Touching = {
  /** Does one thing that cannot be divided, unless it is too late for it to begin. */
  touch<T>(deadline: Deadline, work: () => Promise<T>): Promise<T>;
  /** Whether all that was begun is over, waiting so long for it at most. */
  rest(timeoutMs: number): Promise<boolean>;
};

/** `isHeld`: whether this host may act at all. Asked before each touch, as a process that stood still may wake late. */
export function createTouching(isHeld: () => boolean): Touching {
  const begun = new Set<Promise<unknown>>();

  return {
    async touch(deadline, work) {
      if (!isHeld()) throw noLease();
      if (deadline.isOver()) throw new StepFailure('timeout', 'there was no time left for it');
      const done = work();
      const over = done.then(
        () => undefined,
        () => undefined,
      );
      begun.add(over);
      void over.then(() => begun.delete(over));
      return within(deadline, done);
    },
    async rest(timeoutMs) {
      if (begun.size === 0) return true;
      const late = Promise.withResolvers<false>();
      const timer = setTimeout(() => late.resolve(false), timeoutMs);
      const all = Promise.all(begun).then(() => true);
      return Promise.race([all, late.promise]).finally(() => clearTimeout(timer));
    },
  };
}
