// Pictures are kept for a while, and no user fills the disk with them. Every agent looks; a frame is marked by one of
// them, and removing what is marked twice is as good as once.

import type { Log } from '@pilothouse/process';
import type { DueFrame, Store } from '@pilothouse/store';
import { startRounds } from './rounds.ts';

type Options = { store: Store; log: Log; keepDays: number; maxBytesPerUser: number; everyMs?: number; batch?: number };

const batchSize = 500;
/** So much in one round, and the rest in the next: what has piled up must not keep the database busy. */
const batchesARound = 20;

export function startRetention({
  store,
  log,
  keepDays,
  maxBytesPerUser,
  everyMs = 300_000,
  batch = batchSize,
}: Options) {
  let isClosed = false;

  /** From here on nobody is shown them. A session at a time, because its row is locked before its log is touched. */
  async function leave(due: DueFrame[]): Promise<void> {
    const bySession = Map.groupBy(due, ({ sessionId }) => sessionId);
    for (const [sessionId, frames] of bySession) {
      const ids = frames.map(({ frameId }) => frameId);
      await store.change(sessionId, (tx) => store.retention.leave(tx, sessionId, ids));
    }
  }

  /** The bytes first: a row whose bytes are gone is found again by whoever looks next, bytes without a row by nobody. */
  async function removeLeaving(): Promise<number> {
    const leaving = await store.retention.leaving(batch);
    for (const { blob_key } of leaving) if (blob_key) await store.blobs.removeAll(blob_key);
    if (leaving.length > 0) await store.retention.forget(leaving.map(({ frame_id }) => frame_id));
    return leaving.length;
  }

  async function drain(find: () => Promise<DueFrame[]>): Promise<number> {
    let removed = 0;
    for (let done = 0; done < batchesARound && !isClosed; done++) {
      const due = await find();
      if (due.length === 0) break;
      await leave(due);
      removed += await removeLeaving();
    }
    return removed;
  }

  async function look(): Promise<void> {
    // Left by an agent that died between the two strides.
    const left = await removeLeaving();
    const aged = await drain(() => store.retention.aged(keepDays, batch));
    const surplus = await drain(() => store.retention.surplus(maxBytesPerUser, batch));
    if (left + aged + surplus > 0) log.info({ left, aged, surplus }, 'removed old pictures');
  }

  const rounds = startRounds(look, everyMs, (error) => log.warn({ err: error }, 'could not remove old pictures'));
  return {
    async close() {
      isClosed = true;
      await rounds.close();
    },
  };
}
