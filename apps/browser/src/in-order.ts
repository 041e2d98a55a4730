// What comes numbered is done in the order of the numbers, each once, however it arrives: late, twice or swapped.

import { StepFailure, stale } from './failure.ts';

/** How long one may wait for what it follows. */
const WAIT_MS = 2000;
/** How far one may be ahead of what was done, and how many failures are remembered. */
const MAX_AHEAD = 256;

/** 0: behind all that came before it, and without a number of those who count. */
export type Numbered<T> = { seq: number; item: T };

export type InOrder<T> = {
  /** Resolves with the last number that is done when all of these are; rejects with why one of them is not. */
  take(numbered: Numbered<T>[]): Promise<number>;
  /** Begins again at 1. What waits is given up; resolves when what was under way has ended. */
  reset(): Promise<void>;
};

type Options<T> = {
  /** Must end by itself. The signal says that nobody wants it any more. */
  perform: (item: T, signal: AbortSignal) => Promise<void>;
  /** Whether the item says nothing any more once the next one is here. */
  isOutdated: (item: T, next: T) => boolean;
  waitMs?: number;
  maxAhead?: number;
};

type Entry<T> = { item: T; timer: NodeJS.Timeout; done: PromiseWithResolvers<void> };

export function createInOrder<T>({
  perform,
  isOutdated,
  waitMs = WAIT_MS,
  maxAhead = MAX_AHEAD,
}: Options<T>): InOrder<T> {
  /** All up to this one are done, or were tried and failed. */
  let done = 0;
  let driver = new AbortController();
  let waiting = new Map<number, Entry<T>>();
  /** Those without a number, and the last that came before each. */
  let uncounted: (Omit<Entry<T>, 'timer'> & { after: number })[] = [];
  /** Why those failed that did, for whoever asks again. */
  let failures = new Map<number, unknown>();
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;

  function accept({ seq, item }: Numbered<T>): Promise<void> {
    if (seq === 0) return acceptUncounted(item);
    if (seq <= done) return failures.has(seq) ? Promise.reject(failures.get(seq)) : Promise.resolve();
    if (seq > done + maxAhead) return Promise.reject(new StepFailure('timeout', 'too far ahead of what was done'));
    const known = waiting.get(seq);
    if (known) {
      known.timer.refresh();
      return known.done.promise;
    }
    const entry: Entry<T> = { item, timer: setTimeout(() => giveUp(seq), waitMs), done: Promise.withResolvers() };
    // Whoever sent it may have gone.
    entry.done.promise.catch(() => undefined);
    waiting.set(seq, entry);
    return entry.done.promise;
  }

  function acceptUncounted(item: T): Promise<void> {
    if (uncounted.length >= maxAhead) return Promise.reject(new StepFailure('timeout', 'too many wait for their turn'));
    const entry = { item, after: Math.max(done, ...waiting.keys()), done: Promise.withResolvers<void>() };
    entry.done.promise.catch(() => undefined);
    uncounted.push(entry);
    return entry.done.promise;
  }

  /** The first of them, once all that came before it are done or given up. */
  function nextUncounted() {
    const [first] = uncounted;
    return first && ![...waiting.keys()].some((seq) => seq <= first.after) ? first : undefined;
  }

  function giveUp(seq: number): void {
    const entry = waiting.get(seq);
    if (!entry) return;
    // It waits for its turn only; those before it have come.
    if (!hasGapBefore(seq)) return void entry.timer.refresh();
    waiting.delete(seq);
    entry.done.reject(new StepFailure('timeout', 'what comes before it never came'));
    if (!isRunning) running = run();
  }

  function hasGapBefore(seq: number): boolean {
    for (let before = done + 1; before < seq; before++) if (!waiting.has(before)) return true;
    return false;
  }

  async function run(): Promise<void> {
    isRunning = true;
    const { signal } = driver;
    for (;;) {
      const free = signal.aborted ? undefined : nextUncounted();
      if (free) {
        uncounted.shift();
        await perform(free.item, signal).then(free.done.resolve, free.done.reject);
        continue;
      }
      const [seq, entry] = [done + 1, waiting.get(done + 1)];
      if (signal.aborted || !entry) break;
      const next = waiting.get(seq + 1);
      const outcome =
        next && isOutdated(entry.item, next.item)
          ? undefined
          : await perform(entry.item, signal).then(
              () => undefined,
              (error: unknown) => ({ error }),
            );
      clearTimeout(entry.timer);
      if (signal.aborted) break;
      done = seq;
      waiting.delete(seq);
      failures.delete(seq - maxAhead);
      if (outcome) {
        failures.set(seq, outcome.error);
        entry.done.reject(outcome.error);
      } else entry.done.resolve();
    }
    if (!signal.aborted) isRunning = false;
  }

  return {
    async take(numbered) {
      const { signal } = driver;
      const outcomes = numbered.map(accept);
      if (!isRunning) running = run();
      const settled = await Promise.allSettled(outcomes);
      const failed = settled.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
      if (signal.aborted) throw stale();
      return done;
    },

    async reset() {
      driver.abort();
      for (const { timer, done: ending } of waiting.values()) {
        clearTimeout(timer);
        ending.reject(stale());
      }
      for (const { done: ending } of uncounted) ending.reject(stale());
      const former = running;
      driver = new AbortController();
      [done, waiting, uncounted, failures, isRunning] = [0, new Map(), [], new Map(), false];
      await former;
    },
  };
}
