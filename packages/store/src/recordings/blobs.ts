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
  /** Removes the blob of this key, or every blob of this folder, and folders that are empty then; it need not exist. */
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
const maxTries = 5;

export function createFileBlobs(dir: string): Blobs {
  const pathOf = (key: string) => {
    if (key.length > 512 || !keyPattern.test(key)) throw new Error(`not a key for a blob: ${JSON.stringify(key)}`);
    return join(dir, key);
  };

  return {
    async put(key, bytes) {
      const path = pathOf(key);
      for (let tries = 1; ; tries += 1) {
        try {
          return await putDurably(path, bytes);
        } catch (error) {
          // Its folder was empty for a moment, and a removal took it away.
          if (!isMissing(error) || tries === maxTries) throw error;
        }
      }
    },

    get: async (key) => unlessMissing(readFile(pathOf(key))),

    sizeOf: async (key) => (await unlessMissing(stat(pathOf(key))))?.size,

    read: (key) => createReadStream(pathOf(key), { highWaterMark: pieceBytes }),

    async removeAll(prefix) {
      const path = pathOf(prefix);
      await rm(path, { recursive: true, force: true });
      await removeEmptyAbove(path, dir);
    },

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
      for (const folder of [...folders.toSorted().reverse(), path]) await removeIfEmpty(folder);
    },
  };
}

const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT');
const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

async function unlessMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** After a power loss a blob that was put is there, and complete: the bytes are synced first, then the folder names them. */
async function putDurably(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const next = `${path}.${randomUUID()}.part`;
  const made = await mkdir(folder, { recursive: true });
  try {
    await writeSynced(next, bytes);
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  await sync(folder);
  // New folders have names of their own in the folders above them.
  if (made) for (let at = folder; at.length >= made.length; at = dirname(at)) await sync(dirname(at));
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** From the folder of this path up to the top, which stays. */
async function removeEmptyAbove(path: string, top: string): Promise<void> {
  for (let at = dirname(path); at.length > top.length; at = dirname(at)) if (!(await removeIfEmpty(at))) return;
}

/** False if something is in it. */
async function removeIfEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return false;
    if (!isMissing(error)) throw error;
  }
  return true;
}
