import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Blobs, createFileBlobs } from './blobs.ts';

describe('blobs in files', () => {
  let dir: string;
  let blobs: Blobs;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pilothouse-blobs-'));
    blobs = createFileBlobs(dir);
  });
  after(() => rm(dir, { recursive: true, force: true }));

  it('give back the bytes that were put, the last ones where put twice', async () => {
    await blobs.put('frames/a/1.jpeg', Uint8Array.of(1, 2, 3));
    await blobs.put('frames/a/1.jpeg', Uint8Array.of(4, 5));
    assert.deepEqual([...((await blobs.get('frames/a/1.jpeg')) ?? [])], [4, 5]);
    assert.deepEqual(await readdir(join(dir, 'frames/a')), ['1.jpeg'], 'nothing half written stays');
  });

  it('say nothing of a blob that is not there', async () => {
    assert.equal(await blobs.get('frames/none.jpeg'), undefined);
  });

  it('never show half a picture to a reader while one is replaced', async () => {
    const pictures = [Buffer.alloc(300_000, 1), Buffer.alloc(300_000, 2)];
    await blobs.put('slot', pictures[0] ?? Buffer.alloc(0));
    let isWriting = true;
    const writing = (async () => {
      for (let i = 0; i < 60; i++) await blobs.put('slot', pictures[i % 2] ?? Buffer.alloc(0));
      isWriting = false;
    })();
    let reads = 0;
    while (isWriting) {
      const seen = Buffer.from((await blobs.get('slot')) ?? []);
      assert.ok(
        pictures.some((picture) => picture.equals(seen)),
        'one whole picture or the other',
      );
      reads++;
    }
    await writing;
    assert.ok(reads > 0);
  });

  it('are removed by folder, and only that folder', async () => {
    await blobs.put('sessions/one/x.png', Uint8Array.of(1));
    await blobs.put('sessions/other/x.png', Uint8Array.of(2));
    await blobs.removeAll('sessions/one');
    await blobs.removeAll('sessions/one');
    assert.equal(await blobs.get('sessions/one/x.png'), undefined);
    assert.deepEqual([...((await blobs.get('sessions/other/x.png')) ?? [])], [2]);
  });

  it('leave no empty folder when the last of them is removed, and can be put there again at any moment', async () => {
    await blobs.put('sessions/last/files/a', Uint8Array.of(1));
    await blobs.put('sessions/last/b.png', Uint8Array.of(2));
    await blobs.removeAll('sessions/last/files/a');
    assert.deepEqual(await readdir(join(dir, 'sessions/last')), ['b.png']);
    await blobs.removeAll('sessions/last/b.png');
    assert.ok(!(await readdir(join(dir, 'sessions'))).includes('last'));
    await blobs.removeAll('sessions/never/was');
    const busy = async (name: string) => {
      for (let i = 0; i < 100; i += 1) {
        await blobs.put(`sessions/busy/${name}`, Uint8Array.of(i));
        assert.deepEqual([...((await blobs.get(`sessions/busy/${name}`)) ?? [])], [i]);
        await blobs.removeAll(`sessions/busy/${name}`);
      }
    };
    await Promise.all(['a', 'b', 'c'].map(busy));
    assert.ok(!(await readdir(join(dir, 'sessions'))).includes('busy'));
  });

  it('refuse a key that could name anything else', async () => {
    for (const key of ['', '/etc/passwd', '../x', 'a/../b', 'a//b', 'a/.hidden', 'a\0b', 'A', 'a/', 'x'.repeat(600)]) {
      await assert.rejects(blobs.put(key, Uint8Array.of(1)), /not a key/, key);
      await assert.rejects(blobs.get(key), /not a key/, key);
      await assert.rejects(blobs.removeAll(key), /not a key/, key);
    }
  });
});
