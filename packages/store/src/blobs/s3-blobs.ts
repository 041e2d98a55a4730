// Blobs in a bucket of S3 or of a server that speaks its protocol.

import { randomUUID } from 'node:crypto';
import { type Blobs, isKey, ofSize, pieceBytes, requireKey } from './blobs.ts';
import { type Bucket, type Listed, openS3Requests, type S3Requests } from './s3-requests.ts';

/** What one request reads of a blob. Most pictures are smaller. */
const rangeBytes = 1024 * 1024;
/** The same while a bucket is tried: few bytes are then several ranges. */
const trialRangeBytes = 32;
/** How many objects one request may remove. */
const manyKeys = 1000;

export async function openS3Blobs(bucket: Bucket): Promise<Blobs> {
  return blobsBelow(await openS3Requests(bucket), bucket.prefix, rangeBytes);
}

/** Throws unless everything that blobs need can be done with this bucket. */
export async function openTriedS3Blobs(bucket: Bucket): Promise<Blobs> {
  const requests = await openS3Requests(bucket);
  try {
    await tryBlobs(blobsBelow(requests, bucket.prefix, trialRangeBytes));
    return blobsBelow(requests, bucket.prefix, rangeBytes);
  } catch (error) {
    requests.close();
    throw error;
  }
}

function blobsBelow(requests: S3Requests, prefix: string, rangeBytes: number): Blobs {
  const before = prefix === '' ? '' : `${prefix}/`;
  const nameOf = (key: string) => before + requireKey(key);
  const keyOf = (name: string) => name.slice(before.length);

  return {
    put: async (key, bytes) => requests.put(nameOf(key), bytes),

    write: async (key, pieces, size) => requests.putStream(nameOf(key), ofSize(pieces, size), size),

    get: async (key) => requests.get(nameOf(key)),

    sizeOf: async (key) => requests.sizeOf(nameOf(key)),

    read: (key) => readRanges(requests, nameOf(key), rangeBytes),

    async removeAll(prefix) {
      const name = nameOf(prefix);
      await Promise.all([requests.remove(name), removeBelow(requests, name)]);
    },

    async removeMany(keys) {
      const names = keys.map(nameOf);
      for (let at = 0; at < names.length; at += manyKeys) await requests.removeMany(names.slice(at, at + manyKeys));
    },

    async *foldersIn(prefix) {
      const folder = `${nameOf(prefix)}/`;
      for await (const { folders } of requests.pages(folder, '/'))
        for (const name of folders) yield name.slice(folder.length, -1);
    },

    async olderThan(prefix, ageMs) {
      const latest = Date.now() - ageMs;
      const keys: string[] = [];
      for await (const { key, modifiedAt } of allBelow(requests, `${nameOf(prefix)}/`))
        if (modifiedAt.getTime() < latest) keys.push(keyOf(key));
      return keys;
    },

    // There are no folders, only names.
    async removeEmpty(prefix) {
      requireKey(prefix);
    },

    async *all() {
      for await (const { key, size } of allBelow(requests, before))
        if (isKey(keyOf(key))) yield { key: keyOf(key), size };
    },

    close: requests.close,
  };
}

/** Each process tries with a name of its own, because several may start at once. */
async function tryBlobs(blobs: Blobs): Promise<void> {
  const key = `starts/${randomUUID()}`;
  const bytes = Buffer.from(key);
  for await (const _ of blobs.foldersIn('starts')) break;
  await blobs.put(key, bytes);
  try {
    if (!bytes.equals((await blobs.get(key)) ?? Buffer.alloc(0))) throw new Error('what was put cannot be read');
    // Some servers ignore which part of an object they are asked for.
    if (!bytes.equals(Buffer.concat(await Array.fromAsync(blobs.read(key)))))
      throw new Error('parts of what was put are answered with wrong bytes');
  } finally {
    await blobs.removeAll(key);
  }
}

/**
 * A request for each range, and none between them: a reader that is slow, or has gone, holds no connection that others need. All
 * are of one version, so a blob that is replaced meanwhile is never half the one and half the other.
 */
async function* readRanges(requests: S3Requests, name: string, rangeBytes: number): AsyncGenerator<Uint8Array> {
  let version: string | undefined;
  let size = Number.POSITIVE_INFINITY;
  for (let from = 0; from < size; ) {
    const range = await unlessEmpty(requests.range(name, from, rangeBytes, version), from);
    if (!range || range.bytes.byteLength === 0) return;
    ({ size, version } = range);
    for (let at = 0; at < range.bytes.byteLength; at += pieceBytes) yield range.bytes.subarray(at, at + pieceBytes);
    from += range.bytes.byteLength;
  }
}

/** There is no first byte in an empty object, and S3 says so in this way. */
async function unlessEmpty<T>(range: Promise<T>, from: number): Promise<T | undefined> {
  try {
    return await range;
  } catch (error) {
    if (from === 0 && error instanceof Error && error.name === 'InvalidRange') return undefined;
    throw error;
  }
}

async function* allBelow(requests: S3Requests, prefix: string): AsyncGenerator<Listed> {
  for await (const { found } of requests.pages(prefix)) yield* found;
}

async function removeBelow(requests: S3Requests, name: string): Promise<void> {
  for await (const { found } of requests.pages(`${name}/`))
    if (found.length > 0) await requests.removeMany(found.map(({ key }) => key));
}
