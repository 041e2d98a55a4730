import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Blobs } from './blobs.ts';
import { createFileBlobs } from './file-blobs.ts';

async function* inPieces(...pieces: Uint8Array[]) {
  yield* pieces;
}

describe('the folder of blobs', () => {
  let dir: string;
  let blobs: Blobs;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pilothouse-blobs-'));
    blobs = createFileBlobs(dir);
  });
  after(() => rm(dir, { recursive: true, force: true }));

  it('has nothing half written, whether it was put whole, in pieces, or broke', async () => {
    async function* broken() {
      yield Uint8Array.of(1);
      throw new Error('the source broke');
    }
    await blobs.put('frames/a/1.jpeg', Uint8Array.of(1, 2, 3));
    await blobs.put('frames/a/1.jpeg', Uint8Array.of(4, 5));
    await assert.rejects(blobs.write('frames/a/2.jpeg', broken(), 2), /the source broke/);
    assert.deepEqual(await readdir(join(dir, 'frames/a')), ['1.jpeg']);
  });

  it('leaves no empty folder when the last blob is removed, and can be written to at any moment', async () => {
    await blobs.put('sessions/last/files/a', Uint8Array.of(1));
    await blobs.put('sessions/last/b.png', Uint8Array.of(2));
    await blobs.removeAll('sessions/last/files/a');
    assert.deepEqual(await readdir(join(dir, 'sessions/last')), ['b.png']);
    await blobs.removeAll('sessions/last/b.png');
    await blobs.removeAll('sessions/never/was');
    const busy = async (name: string) => {
      for (let i = 0; i < 100; i += 1) {
        const bytes = Uint8Array.of(i);
        if (i % 2 === 0) await blobs.put(`sessions/busy/${name}`, bytes);
        else await blobs.write(`sessions/busy/${name}`, inPieces(bytes), 1);
        assert.deepEqual([...((await blobs.get(`sessions/busy/${name}`)) ?? [])], [i]);
        await blobs.removeAll(`sessions/busy/${name}`);
      }
    };
    await Promise.all(['a', 'b', 'c'].map(busy));
    assert.ok(!(await readdir(dir)).includes('sessions'));
  });

  it('tells unfinished ones by their age only', async () => {
    await blobs.put('sessions/one/a', Uint8Array.of(1));
    const unfinished = 'sessions/one/a.01234567-89ab-cdef-0123-456789abcdef.part';
    await writeFile(join(dir, unfinished), 'half');
    assert.deepEqual((await blobs.olderThan('sessions', -60_000)).toSorted(), ['sessions/one/a', unfinished]);
    const told = await Array.fromAsync(blobs.all());
    assert.deepEqual(
      told.filter(({ key }) => key.startsWith('sessions/')),
      [{ key: 'sessions/one/a', size: 1 }],
    );
    await blobs.removeAll(unfinished);
    assert.deepEqual(await blobs.olderThan('sessions', -60_000), ['sessions/one/a']);
  });
});
