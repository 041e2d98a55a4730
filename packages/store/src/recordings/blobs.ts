// Blobs: pictures and files, in a folder. Large, written once, under a key that the caller chooses.

import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, opendir, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

export type Blobs = {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined if there is no such blob. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Undefined if there is no such blob. */
  sizeOf(key: string): Promise<number | undefined>;
  /** The bytes in pieces, each read when the one before it was used. Throws if there is no such blob. */
  read(key: string): AsyncIterable<Uint8Array>;
  /** Removes every blob whose key begins with this folder; it need not exist. */
  removeAll(prefix: string): Promise<void>;
  /** The names of the folders in a folder, in no order. Nothing if it does not exist. */
  foldersIn(prefix: string): AsyncIterable<string>;
  /** The keys of blobs in a folder and below that were written longer ago than this, unfinished ones too. */
  olderThan(prefix: string, ageMs: number): Promise<string[]>;
  /** Removes a folder, and those in it, unless a blob is there. */
  removeEmpty(prefix: string): Promise<void>;
};

/** A key is a path of plain words, so that it can neither leave the folder nor name a hidden file. */
const keyPattern = /^[a-z0-9][a-z0-9_-]*(?:\/[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9-]*)*)*$/;

const pieceBytes = 48 * 1024;

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

    get: async (key) => unlessMissing(readFile(pathOf(key))),

    sizeOf: async (key) => (await unlessMissing(stat(pathOf(key))))?.size,

    read: (key) => createReadStream(pathOf(key), { highWaterMark: pieceBytes }),

    removeAll: (prefix) => rm(pathOf(prefix), { recursive: true, force: true }),

    async *foldersIn(prefix) {
      const folder = await unlessMissing(opendir(pathOf(prefix)));
      for await (const entry of folder ?? []) if (entry.isDirectory()) yield entry.name;
    },

    async olderThan(prefix, ageMs) {
      const latest = Date.now() - ageMs;
      const found = (await unlessMissing(readdir(pathOf(prefix), { recursive: true, withFileTypes: true }))) ?? [];
      const keys: string[] = [];
      for (const entry of found) {
        if (!entry.isFile()) continue;
        const path = join(entry.parentPath, entry.name);
        const { mtimeMs = Number.POSITIVE_INFINITY } = (await unlessMissing(stat(path))) ?? {};
        if (mtimeMs < latest) keys.push(relative(dir, path));
      }
      return keys;
    },

    async removeEmpty(prefix) {
      const path = pathOf(prefix);
      const found = (await unlessMissing(readdir(path, { recursive: true, withFileTypes: true }))) ?? [];
      const folders = found.flatMap((entry) => (entry.isDirectory() ? join(entry.parentPath, entry.name) : []));
      // Deepest first.
      for (const folder of [...folders.toSorted().reverse(), path]) await unlessFull(rmdir(folder));
    },
  };
}

async function unlessFull(removed: Promise<void>): Promise<void> {
  await removed.catch((error) => {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code)) throw error;
  });
}

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Synced before it is renamed: after a power loss a blob is complete or missing. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
