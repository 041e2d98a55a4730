// The numbered items of one driver, until each is done. It says which item is next; it performs nothing itself.

import { handledLater } from '../common/best-effort.ts';
import { StepFailure } from '../common/failure.ts';

/** 0: after every item that came before it, and outside the count. */
export type Numbered<T> = { seq: number; item: T };

type UncountedEntry<T> = { item: T; done: PromiseWithResolvers<void>; after: number };
type Entry<T> = { item: T; done: PromiseWithResolvers<void>; timer: NodeJS.Timeout };

export type NumberedQueue<T> = {
  /** The last number up to which each item was performed or has failed. */
  done(): number;
  /** The last number up to which each item has come. */
  accepted(): number;
  /** Gives up each item that waits for a number which has not come. */
  giveUpBehindGaps(): void;
  /** Settles as the item does. An item that came before is not queued again. */
  accept(numbered: Numbered<T>): Promise<void>;
  /** Removes the next item without a number, once each item that came before it is done or given up. */
  takeUncounted(): Omit<UncountedEntry<T>, 'after'> | undefined;
  /** The item whose turn it is, and the one after it where that has come. */
  next(): { entry: Entry<T>; following: T | undefined } | undefined;
  /** Counts the next item as done, or as failed with this error. */
  settle(entry: Entry<T>, failure: { error: unknown } | undefined): void;
  /** Rejects each item that waits. */
  rejectAll(reason: () => unknown): void;
};

type Options = {
  /** How long an item may wait for the numbers before it. */
  waitMs: number;
  /** How far a number may be ahead, and how many failures are remembered. */
  maxAhead: number;
  /** Called when an item is given up, which may make another the next. */
  onGivenUp: () => void;
};

export function createNumberedQueue<T>({ waitMs, maxAhead, onGivenUp }: Options): NumberedQueue<T> {
  let done = 0;
  const waiting = new Map<number, Entry<T>>();
  const uncounted: UncountedEntry<T>[] = [];
  /** For a sender that asks again. */
  const failures = new Map<number, unknown>();

  function acceptUncounted(item: T): Promise<void> {
    if (uncounted.length >= maxAhead) return Promise.reject(new StepFailure('timeout', 'too many wait for their turn'));
    const entry = { item, after: Math.max(done, ...waiting.keys()), done: withoutListener() };
    uncounted.push(entry);
    return entry.done.promise;
  }

  function giveUp(seq: number): void {
    const entry = waiting.get(seq);
    // It only waits for its turn: each number before it has come.
    if (!entry || seq <= accepted()) return void entry?.timer.refresh();
    drop(seq, entry);
    onGivenUp();
  }

  function drop(seq: number, entry: Entry<T>): void {
    clearTimeout(entry.timer);
    waiting.delete(seq);
    entry.done.reject(new StepFailure('timeout', 'what comes before it never came'));
  }

  const accepted = () => lastWithoutGap(waiting, done);

  return {
    done: () => done,
    accepted,
    giveUpBehindGaps() {
      const last = accepted();
      for (const [seq, entry] of [...waiting]) if (seq > last) drop(seq, entry);
      onGivenUp();
    },
    accept({ seq, item }) {
      if (seq === 0) return acceptUncounted(item);
      if (seq <= done) return failures.has(seq) ? Promise.reject(failures.get(seq)) : Promise.resolve();
      if (seq > done + maxAhead) return Promise.reject(new StepFailure('timeout', 'too far ahead of what was done'));
      const known = waiting.get(seq);
      if (known) {
        known.timer.refresh();
        return known.done.promise;
      }
      const entry = { item, timer: setTimeout(() => giveUp(seq), waitMs), done: withoutListener() };
      waiting.set(seq, entry);
      return entry.done.promise;
    },
    takeUncounted() {
      const [first] = uncounted;
      const isNext = first && ![...waiting.keys()].some((seq) => seq <= first.after);
      return isNext ? uncounted.shift() : undefined;
    },
    next() {
      const entry = waiting.get(done + 1);
      return entry && { entry, following: waiting.get(done + 2)?.item };
    },
    settle(entry, failure) {
      done += 1;
      waiting.delete(done);
      failures.delete(done - maxAhead);
      if (failure) {
        failures.set(done, failure.error);
        entry.done.reject(failure.error);
      } else entry.done.resolve();
    },
    rejectAll(reason) {
      for (const entry of waiting.values()) {
        clearTimeout(entry.timer);
        entry.done.reject(reason());
      }
      for (const entry of uncounted) entry.done.reject(reason());
      waiting.clear();
      uncounted.length = 0;
    },
  };
}

/** The last number up to which each one after `done` waits. */
function lastWithoutGap(waiting: Map<number, unknown>, done: number): number {
  let last = done;
  while (waiting.has(last + 1)) last += 1;
  return last;
}

/** Its rejection is no error of the process where the sender has gone. */
function withoutListener(): PromiseWithResolvers<void> {
  const done = Promise.withResolvers<void>();
  handledLater(done.promise);
  return done;
}
