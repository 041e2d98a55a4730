// Performs numbered items in the order of their numbers, each once, however they arrive: late, twice or swapped.

import { StepFailure, stale } from '../common/failure.ts';
import { createNumberedQueue, type Numbered } from './numbered-queue.ts';

const defaultWaitMs = 2000;
const defaultMaxAhead = 256;

export type Sequencer<T> = {
  /** Resolves with the last number that is done when all of these are; rejects with why one of them is not. */
  take(numbered: Numbered<T>[], sender?: number): Promise<number>;
  /**
   * The last number up to which each item has come. From then on only this sender and later ones are heard, and what an
   * earlier one sent too far ahead is given up. Each sender has a higher number than the one before it; 0 is not checked.
   */
  count(sender?: number): number;
  /** Begins again at 1, for another driver. What waits is given up; resolves when what was under way has ended. */
  reset(): Promise<void>;
};

type Options<T> = {
  /** Must end by itself. The signal says that the driver has been replaced. */
  perform: (item: T, signal: AbortSignal) => Promise<void>;
  /** Whether the item need not be performed any more once the next one is here. */
  isOutdated: (item: T, next: T) => boolean;
  /** How long an item may wait for the numbers before it. */
  waitMs?: number;
  /** How far a number may be ahead, and how many failures are remembered. */
  maxAhead?: number;
};

export function createSequencer<T>(options: Options<T>): Sequencer<T> {
  let current = startSequence(options);
  return {
    take: (numbered, sender = 0) => current.take(numbered, sender),
    count: (sender = 0) => current.count(sender),
    async reset() {
      const former = current;
      const ended = former.end();
      current = startSequence(options);
      await ended;
    },
  };
}

type Sequence<T> = {
  take(numbered: Numbered<T>[], sender: number): Promise<number>;
  count(sender: number): number;
  /** Resolves when nothing is performed any more. */
  end(): Promise<void>;
};

/** The items of one driver. After `end` none of them begins. */
function startSequence<T>({
  perform,
  isOutdated,
  waitMs = defaultWaitMs,
  maxAhead = defaultMaxAhead,
}: Options<T>): Sequence<T> {
  const replaced = new AbortController();
  const { signal } = replaced;
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  let present = 0;
  const queue = createNumberedQueue<T>({ waitMs, maxAhead, onGivenUp: runUnlessRunning });

  async function run(): Promise<void> {
    isRunning = true;
    while (!signal.aborted) {
      const uncounted = queue.takeUncounted();
      if (uncounted) {
        await perform(uncounted.item, signal).then(uncounted.done.resolve, uncounted.done.reject);
        continue;
      }
      const next = queue.next();
      if (!next) break;
      const { entry, following } = next;
      const failure =
        following !== undefined && isOutdated(entry.item, following)
          ? undefined
          : await perform(entry.item, signal).then(
              () => undefined,
              (error: unknown) => ({ error }),
            );
      clearTimeout(entry.timer);
      if (!signal.aborted) queue.settle(entry, failure);
    }
    if (!signal.aborted) isRunning = false;
  }

  function runUnlessRunning(): void {
    if (!isRunning) running = run();
  }

  /** Throws for a sender that another one has replaced. */
  function hear(sender: number): void {
    if (sender === 0) return;
    if (sender < present) throw new StepFailure('stale_epoch', 'the driver goes on in another window');
    if (sender > present) queue.giveUpBehindGaps();
    present = sender;
  }

  return {
    count(sender) {
      hear(sender);
      return queue.accepted();
    },
    async take(numbered, sender) {
      hear(sender);
      const outcomes = numbered.map(queue.accept);
      runUnlessRunning();
      const settled = await Promise.allSettled(outcomes);
      const failed = settled.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
      if (signal.aborted) throw stale();
      return queue.done();
    },
    async end() {
      replaced.abort();
      queue.rejectAll(stale);
      await running;
    },
  };
}
