import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { tryLock } from '../services/lock.ts';
import { claimFolder, startLocal } from './local.ts';

describe('the folder of an installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'local-'));
  after(() => rmSync(folder, { recursive: true }));

  it('is made for its owner alone, and is known again', () => {
    const dir = join(folder, 'a/b');
    const place = claimFolder(dir, false);
    assert.deepEqual(claimFolder(dir, false), place);
    assert.equal(statSync(dir).mode & 0o777, 0o700);
  });

  it('is refused where other files are in it: that of a demo is removed in the end', () => {
    const dir = join(folder, 'documents');
    mkdirSync(dir);
    writeFileSync(join(dir, 'letter.txt'), 'dear');
    for (const isDemo of [true, false]) assert.throws(() => claimFolder(dir, isDemo), /has other files in it$/);
  });

  it('of `up` is refused to a demo', () => {
    const dir = join(folder, 'kept');
    claimFolder(dir, false);
    assert.throws(() => claimFolder(dir, true), /of `pilothouse up`/);
  });

  it('is used by one command at a time', async () => {
    const dir = join(folder, 'used');
    const lock = await tryLock(dir);
    await assert.rejects(startLocal({ dir, isDemo: true }), /it runs already/);
    lock?.release();
  });
});
