// Blobs in a folder.

import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, opendir, readdir, readFile, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type Blobs, isKey, ofSize, pieceBytes, requireKey } from './blobs.ts';
import { inParallel } from './in-parallel.ts';

const maxTries = 5;
/** More at once, and who waits for the disk waits longer. */
const removedAtOnce = 4;
const unfinished = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/;

export function createFileBlobs(dir: string): Blobs {
  const pathOf = (key: string) => join(dir, requireKey(key));
  async function removeAll(prefix: string): Promise<void> {
    const path = pathOf(prefix);
    await rm(path, { recursive: true, force: true });
    await removeEmptyFrom(dirname(path), dir);
  }
  /** Most blobs of a batch lie in the same few folders: each folder is looked at once, after all of them. */
  async function removeMany(keys: readonly string[]): Promise<void> {
    const paths = keys.map(pathOf);
    await inParallel(paths, removedAtOnce, (path) => unlessMissing(unlink(path)));
    for (const folder of new Set(paths.map(dirname))) await removeEmptyFrom(folder, dir);
  }

  return {
    put: async (key, bytes) => putWithTries(pathOf(key), () => [bytes]),

    async write(key, pieces, size) {
      const path = pathOf(key);
      let isBegun = false;
      async function* begin() {
        isBegun = true;
        yield* ofSize(pieces, size);
      }
      // The pieces come once: only what failed before the first of them can be tried again.
      await putWithTries(path, begin, () => !isBegun);
    },

    get: async (key) => unlessMissing(readFile(pathOf(key))),

    sizeOf: async (key) => (await unlessMissing(stat(pathOf(key))))?.size,

    read: (key) => createReadStream(pathOf(key), { highWaterMark: pieceBytes }),

    removeAll,

    removeMany,

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

    all: () => allIn(dir, ''),

    close() {},
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

type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

async function putWithTries(path: string, begin: () => Pieces, mayTryAgain = () => true): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await putDurably(path, begin());
    } catch (error) {
      // Its folder was empty for a moment, and a removal took it away.
      if (!isMissing(error) || tries === maxTries || !mayTryAgain()) throw error;
    }
  }
}

/** After a power loss a blob that was put is there, and complete: the bytes are synced first, then the folder names them. */
async function putDurably(path: string, pieces: Pieces): Promise<void> {
  const folder = dirname(path);
  const next = `${path}.${randomUUID()}.part`;
  const made = await mkdir(folder, { recursive: true });
  try {
    await writeSynced(next, pieces);
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  await sync(folder);
  // New folders have names of their own in the folders above them.
  if (made) for (let at = folder; at.length >= made.length; at = dirname(at)) await sync(dirname(at));
}

async function writeSynced(path: string, pieces: Pieces): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(pieces);
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

/** From this folder up to the top, which stays. */
async function removeEmptyFrom(folder: string, top: string): Promise<void> {
  for (let at = folder; at.length > top.length; at = dirname(at)) if (!(await removeIfEmpty(at))) return;
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

/** One folder at a time is open at each depth, so that any number of blobs takes little memory. */
async function* allIn(dir: string, folder: string): AsyncGenerator<{ key: string; size: number }> {
  const entries = await unlessMissing(opendir(join(dir, folder)));
  for await (const entry of entries ?? []) {
    const key = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* allIn(dir, key);
    // Neither unfinished ones nor what others put there.
    if (!entry.isFile() || !isKey(key) || unfinished.test(key)) continue;
    const found = await unlessMissing(stat(join(dir, key)));
    if (found) yield { key, size: found.size };
  }
}
