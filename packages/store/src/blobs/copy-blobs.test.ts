import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { S3ForTest } from '../../testing/s3.ts';
import { s3Servers } from '../../testing/s3-servers.ts';
import type { Blobs } from './blobs.ts';
import { copyBlobs } from './copy-blobs.ts';
import { createFileBlobs } from './file-blobs.ts';
import { openS3Blobs } from './s3-blobs.ts';

for (const { name, skip, areRangesRight, start } of s3Servers)
  describe(`all blobs are copied, with ${name}`, { skip }, () => {
    let s3: S3ForTest;
    const opened: Blobs[] = [];
    const folders: string[] = [];
    before(async () => {
      s3 = await start();
    });
    after(async () => {
      for (const blobs of opened) blobs.close();
      await s3?.close();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    });
    const places = {
      folder: async () => {
        folders.push(await mkdtemp(join(tmpdir(), 'pilothouse-blobs-')));
        return createFileBlobs(folders.at(-1) ?? '');
      },
      bucket: async () => {
        opened.push(await openS3Blobs(await s3.newBucket()));
        return opened.at(-1) ?? assert.fail();
      },
    };
    /** From nothing to one range of S3, and to more where they are right. */
    const sizes = [0, 1, 100, 48 * 1024, 70_000, 1024 * 1024, ...(areRangesRight ? [1_500_000] : [])];
    const keyOf = (i: number) => `sessions/${i % 3}/files/${i}`;
    const bytesOf = (i: number) => Buffer.alloc(sizes[i] ?? 0, `${i} `);
    async function fill(blobs: Blobs) {
      for (const i of sizes.keys()) await blobs.put(keyOf(i), bytesOf(i));
    }
    async function holdsAll(blobs: Blobs) {
      for (const i of sizes.keys())
        assert.ok(bytesOf(i).equals((await blobs.get(keyOf(i))) ?? Buffer.alloc(9)), keyOf(i));
      assert.equal((await Array.fromAsync(blobs.all())).length, sizes.length);
    }
    const nothing = { copied: 0, copiedBytes: 0, same: 0, gone: 0, failed: 0, failures: [] };

    const ways = [
      ['folder', 'bucket'],
      ['bucket', 'folder'],
    ] as const;
    for (const [one, other] of ways)
      it(`from a ${one} to a ${other}; then again, only what differs`, async () => {
        const from = await places[one]();
        const to = await places[other]();
        await fill(from);
        const copiedBytes = sizes.reduce((sum, size) => sum + size, 0);
        assert.deepEqual(await copyBlobs({ from, to }), { ...nothing, copied: sizes.length, copiedBytes });
        await holdsAll(to);
        await holdsAll(from);
        await to.removeAll(keyOf(1));
        await to.put(keyOf(2), Buffer.alloc(100, 'as long, and another'));
        assert.deepEqual(await copyBlobs({ from, to }), {
          ...nothing,
          copied: 2,
          copiedBytes: 101,
          same: sizes.length - 2,
        });
        await holdsAll(to);
      });

    it('up to where it was interrupted, and then the rest', async () => {
      const [from, to] = [await places.folder(), await places.bucket()];
      await fill(from);
      const stopping = new AbortController();
      const onProgress = ({ copied }: { copied: number }) => copied >= 3 && stopping.abort();
      const first = await copyBlobs({ from, to, atOnce: 1, signal: stopping.signal, onProgress });
      assert.equal(first.copied, 3);
      const rest = await copyBlobs({ from, to });
      assert.deepEqual([rest.same, rest.copied], [3, sizes.length - 3]);
      await holdsAll(to);
    });

    it('but for those that fail, which are named, and those that were removed meanwhile', async () => {
      const [from, to] = [await places.folder(), await places.bucket()];
      await fill(from);
      const write: Blobs['write'] = async (key, pieces, size) => {
        if (key === keyOf(4)) throw new Error('the disk is full');
        // One byte of another is changed on its way.
        if (key === keyOf(5)) return to.put(key, Buffer.alloc(size, 'x'));
        return to.write(key, pieces, size);
      };
      const all: Blobs['all'] = async function* () {
        yield { key: 'sessions/0/removed', size: 3 };
        yield* from.all();
      };
      const counts = await copyBlobs({ from: { ...from, all }, to: { ...to, write } });
      assert.equal(counts.copied, sizes.length - 2);
      assert.equal(counts.gone, 1);
      assert.equal(counts.failed, 2);
      assert.deepEqual(
        counts.failures.toSorted((one, other) => (one.key < other.key ? -1 : 1)),
        [
          { key: keyOf(4), reason: 'Error: the disk is full' },
          { key: keyOf(5), reason: 'Error: the copy is not the same' },
        ],
      );
    });
  });
