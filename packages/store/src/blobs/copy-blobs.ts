// Copies all blobs from one place to another, and can be run again: what is there already, byte for byte, is not copied.

import { createHash, type Hash } from 'node:crypto';
import type { Blobs } from './blobs.ts';

export type CopyCounts = {
  copied: number;
  copiedBytes: number;
  /** They were there already, and are the same. */
  same: number;
  /** They were removed from the first place meanwhile. */
  gone: number;
  failed: number;
  /** The first of them. */
  failures: { key: string; reason: string }[];
};

type Options = {
  from: Pick<Blobs, 'all' | 'read' | 'sizeOf'>;
  to: Pick<Blobs, 'write' | 'read' | 'sizeOf'>;
  atOnce?: number;
  signal?: AbortSignal;
  onProgress?: (counts: CopyCounts) => void;
};

/** How many failures are named. */
const maxNamed = 20;

/** Removes nothing. Each copy is read again and compared. Throws only if the first place cannot be listed. */
export async function copyBlobs({ from, to, atOnce = 8, signal, onProgress }: Options): Promise<CopyCounts> {
  const counts: CopyCounts = { copied: 0, copiedBytes: 0, same: 0, gone: 0, failed: 0, failures: [] };
  const left = from.all()[Symbol.asyncIterator]();
  const lane = async () => {
    for (;;) {
      const next = signal?.aborted ? undefined : await left.next();
      if (!next || next.done) return;
      await copyOne(next.value);
      onProgress?.(counts);
    }
  };

  async function copyOne({ key }: { key: string }): Promise<void> {
    try {
      // Not the size in the list: a blob may have been replaced since.
      const size = await from.sizeOf(key);
      if (size === undefined) {
        counts.gone += 1;
      } else if ((await to.sizeOf(key)) === size && (await digestOf(from, key)) === (await digestOf(to, key))) {
        counts.same += 1;
      } else {
        await copyAndCompare(key, size);
        counts.copied += 1;
        counts.copiedBytes += size;
      }
    } catch (error) {
      if ((await from.sizeOf(key).catch(() => 0)) === undefined) {
        counts.gone += 1;
      } else {
        counts.failed += 1;
        if (counts.failures.length < maxNamed) counts.failures.push({ key, reason: String(error) });
      }
    }
  }

  async function copyAndCompare(key: string, size: number): Promise<void> {
    const hash = createHash('sha256');
    await to.write(key, hashed(from.read(key), hash), size);
    if (hash.digest('hex') !== (await digestOf(to, key))) throw new Error('the copy is not the same');
  }

  await Promise.all(Array.from({ length: atOnce }, lane));
  await left.return?.();
  return counts;
}

async function* hashed(pieces: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

async function digestOf(blobs: Pick<Blobs, 'read'>, key: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of blobs.read(key)) hash.update(piece);
  return hash.digest('hex');
}
