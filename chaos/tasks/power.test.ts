import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { createFileBlobs } from '../../packages/store/src/blobs/file-blobs.ts';
import { mountPowerDisk, noPowerDisk } from '../../testkit/power-disk.ts';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { failPower } from './power.ts';

const skip = noPowerDisk();

describe(`tasks after a loss of power (seed ${seed})`, { skip }, () => {
  const fail = (isSynced: boolean) =>
    withStack(`power-${process.pid}`, (stack) => failPower({ stack, rounds: 1, seed, isSynced }));

  it('are all there with their files, and run', async () => {
    const { lost, lost_files, unfinished, broken, acknowledged } = await fail(true);
    console.log(JSON.stringify({ acknowledged }));
    assert.deepEqual(
      { lost, lost_files, unfinished, broken },
      { lost: [], lost_files: [], unfinished: [], broken: null },
    );
    assert.ok(acknowledged > 0);
  });

  it('have every picture and file that was written', async () => {
    const folder = join(await mkdtemp(join(tmpdir(), 'pilothouse-power-')), 'blobs');
    const disk = await mountPowerDisk(folder);
    try {
      const blobs = createFileBlobs(folder);
      await disk.sync();
      await blobs.put('sessions/one/files/a', Uint8Array.of(1, 2, 3));
      // Not synced by us: it shows that the power is really cut.
      await writeFile(join(folder, 'unsynced'), 'lost');
      await disk.cutPower();
      await disk.restorePower();
      assert.deepEqual([...((await blobs.get('sessions/one/files/a')) ?? [])], [1, 2, 3]);
      await assert.rejects(readFile(join(folder, 'unsynced')), /ENOENT/);
    } finally {
      await disk.close();
      await rm(dirname(folder), { recursive: true });
    }
  });

  it('are lost where PostgreSQL does not sync, which shows that a loss would be seen', async () => {
    const { lost, broken, acknowledged } = await fail(false);
    console.log(JSON.stringify({ acknowledged, lost: lost.length, broken }));
    assert.ok(broken !== null || lost.length > 0);
  });
});
