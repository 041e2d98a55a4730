// Deletes frames and files that are old, and frames beyond a user's quota. Every agent looks, claims batches that no other
// agent has, and goes on until nothing is left to claim.

import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { drain } from '../common/drain.ts';
import { startRepeating } from '../common/repeat.ts';
import type { RetentionMetrics } from './retention-metrics.ts';

type Options = {
  store: Store;
  log: Log;
  metrics: RetentionMetrics;
  keepDays: number;
  maxBytesPerUser: number;
  filesKeepDays: number;
  everyMs?: number;
  batch?: number;
};

const lookMs = 15_000;
/** So small that nobody who writes waits long behind it. */
const batchSize = 100;
const sumBatch = 5000;

export function startRetention({ store, log, metrics, everyMs = lookMs, batch = batchSize, ...limits }: Options) {
  const { keepDays, maxBytesPerUser, filesKeepDays } = limits;
  metrics.watchOverdue('pictures', () => store.retention.overdueSecs(keepDays));
  metrics.watchOverdue('files', () => store.files.overdueSecs(filesKeepDays));
  const closing = new AbortController();

  const drained = (batchOf: () => Promise<number>) => drain(batchOf, closing.signal);
  async function removeFrames(): Promise<number> {
    const count = await store.retention.removeLeaving(batch, store.blobs.removeMany);
    metrics.removed('pictures', count);
    return count;
  }
  async function removeFiles(): Promise<number> {
    const count = await store.files.removeLeaving(batch, store.blobs.removeMany);
    metrics.removed('files', count);
    return count;
  }

  /** Hides frames from viewers first, then deletes what is hidden, whichever agent has hidden it. */
  async function drainFrames(): Promise<number> {
    let deleted = 0;
    const thenRemove = async (passed: number) => {
      deleted += await removeFrames();
      return passed;
    };
    await drained(async () => thenRemove((await store.retention.leaveAged(keepDays, batch)).passed));
    await drained(async () => {
      const surplus = await store.retention.leaveSurplus(maxBytesPerUser, batch);
      // A user whose sum was out of date is no surplus, but the next one may be.
      return surplus ? thenRemove(surplus.passed || 1) : 0;
    });
    return deleted + (await drained(removeFrames));
  }

  async function drainFiles(): Promise<number> {
    let deleted = 0;
    await drained(async () => {
      const hidden = await store.files.leaveAged(filesKeepDays, batch);
      deleted += await removeFiles();
      return hidden;
    });
    // Files of purged sessions are among them.
    return deleted + (await drained(removeFiles));
  }

  async function look(): Promise<void> {
    const first = await store.retention.look(limits);
    if (first.hasChanges) await drained(() => store.storedBytes.sumUp(sumBatch));
    const { isDue } = first.hasChanges ? await store.retention.look(limits) : first;
    if (!isDue) return;
    const frames = await drainFrames();
    const files = await drainFiles();
    if (frames + files > 0) log.info({ frames, files }, 'deleted old frames and files');
  }

  const rounds = startRepeating(look, everyMs, (error) => log.warn({ err: error }, 'could not delete old frames'));
  return {
    async close() {
      closing.abort();
      await rounds.close();
    },
  };
}
