// Removes blobs that no row points to, such as those of a process that was killed between the blob and its row. One look
// reads only a share of the sessions' folders, so that it ends soon; a day of looks reads all of them.

import type { Store } from '@pilothouse/store';

type Options = {
  store: Pick<Store, 'blobs' | 'knownBlobs'>;
  /** Decides which share is looked at. */
  now: () => Date;
  signal: AbortSignal;
  shares?: number;
  minAgeMs?: number;
};

const dayMs = 86_400_000;
const root = 'sessions';

/** Returns how many it removed. */
export async function removeOrphanBlobs(options: Options): Promise<number> {
  const { store, now, signal, shares = 12, minAgeMs = dayMs } = options;
  const share = now().getUTCHours() % shares;
  let removed = 0;

  async function look(sessionId: string): Promise<void> {
    const folder = `${root}/${sessionId}`;
    const keys = await store.blobs.olderThan(folder, minAgeMs);
    const known = keys.length > 0 ? await store.knownBlobs.of(sessionId, keys) : new Set();
    const orphans = keys.filter((key) => !known.has(key));
    await store.blobs.removeMany(orphans);
    removed += orphans.length;
    // A process that is about to write there makes it again.
    await store.blobs.removeEmpty(folder);
  }

  for await (const name of store.blobs.foldersIn(root)) {
    if (signal.aborted) break;
    if (isSessionId.test(name) && Number.parseInt(name.slice(-2), 16) % shares === share) await look(name);
  }
  return removed;
}

const isSessionId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
