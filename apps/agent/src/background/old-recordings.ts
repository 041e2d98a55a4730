// Deletes frames and files that are old, and frames beyond a user's quota. Every agent looks: one of them marks a frame, and
// deleting what is marked twice does no harm.

import type { Log } from '@pilothouse/process';
import type { DueFrame, Store } from '@pilothouse/store';
import { startRepeating } from '../common/repeat.ts';

type Options = {
  store: Store;
  log: Log;
  keepDays: number;
  maxBytesPerUser: number;
  filesKeepDays: number;
  everyMs?: number;
  batch?: number;
};

const batchSize = 500;
/** The rest is deleted in later rounds, so that a backlog does not keep the database busy. */
const batchesPerRound = 20;

export function startRetention({
  store,
  log,
  keepDays,
  maxBytesPerUser,
  filesKeepDays,
  everyMs = 300_000,
  batch = batchSize,
}: Options) {
  let isClosed = false;

  /** Marks frames, which hides them from viewers. One session at a time: its row is locked before its log. */
  async function mark(due: DueFrame[]): Promise<void> {
    const bySession = Map.groupBy(due, ({ sessionId }) => sessionId);
    for (const [sessionId, frames] of bySession) {
      const ids = frames.map(({ frameId }) => frameId);
      await store.change(sessionId, (tx) => store.retention.leave(tx, sessionId, ids));
    }
  }

  /** The bytes first: the next look finds a row without bytes again, but never bytes without a row. */
  async function deleteMarked(): Promise<number> {
    const leaving = await store.retention.leaving(batch);
    for (const { blob_key } of leaving) if (blob_key) await store.blobs.removeAll(blob_key);
    if (leaving.length > 0) await store.retention.forget(leaving.map(({ frame_id }) => frame_id));
    return leaving.length;
  }

  async function drain(find: () => Promise<DueFrame[]>): Promise<number> {
    let removed = 0;
    for (let done = 0; done < batchesPerRound && !isClosed; done++) {
      const due = await find();
      if (due.length === 0) break;
      await mark(due);
      removed += await deleteMarked();
    }
    return removed;
  }

  /** In the same order as frames. Files of purged sessions are among them. */
  async function deleteMarkedFiles(): Promise<number> {
    const leaving = await store.files.leaving(batch);
    for (const { id, blob_key } of leaving) {
      await store.blobs.removeAll(blob_key);
      await store.files.forget(id);
    }
    return leaving.length;
  }

  async function deleteOldFiles(): Promise<number> {
    let removed = await deleteMarkedFiles();
    for (let done = 0; done < batchesPerRound && !isClosed; done++) {
      if ((await store.files.leaveAged(filesKeepDays, batch)) === 0) break;
      removed += await deleteMarkedFiles();
    }
    return removed;
  }

  async function look(): Promise<void> {
    // Marked by an agent that died before it could delete them.
    const left = await deleteMarked();
    const aged = await drain(() => store.retention.aged(keepDays, batch));
    const surplus = await drain(() => store.retention.surplus(maxBytesPerUser, batch));
    const files = await deleteOldFiles();
    if (left + aged + surplus + files > 0) log.info({ left, aged, surplus, files }, 'deleted old frames and files');
  }

  const rounds = startRepeating(look, everyMs, (error) => log.warn({ err: error }, 'could not delete old frames'));
  return {
    async close() {
      isClosed = true;
      await rounds.close();
    },
  };
}
