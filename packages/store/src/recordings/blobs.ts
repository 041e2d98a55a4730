import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Where pictures and files lie: large, written once, named by whoever stores them. */
export type Blobs = {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Nothing, where there is no such blob. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Removes everything under a folder of keys; nothing there is fine. */
  removeAll(prefix: string): Promise<void>;
};

/** A key is a path of plain words, so that none can climb out of the folder or name a hidden file. */
const keyPattern = /^[a-z0-9][a-z0-9_-]*(?:\/[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9]+)?)*$/;

export function createFileBlobs(dir: string): Blobs {
  const pathOf = (key: string) => {
    if (key.length > 512 || !keyPattern.test(key)) throw new Error(`not a key for a blob: ${JSON.stringify(key)}`);
    return join(dir, key);
  };

  return {
    async put(key, bytes) {
      const path = pathOf(key);
      const next = `${path}.${randomUUID()}.part`;
      await mkdir(dirname(path), { recursive: true });
      try {
        await writeDurably(next, bytes);
        await rename(next, path);
      } catch (error) {
        await rm(next, { force: true });
        throw error;
      }
    },

    async get(key) {
      try {
        return await readFile(pathOf(key));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },

    removeAll: (prefix) => rm(pathOf(prefix), { recursive: true, force: true }),
  };
}

/** Synced before it gets its name: after a power loss a blob is whole or not there. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
