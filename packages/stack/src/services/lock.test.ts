import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from './lock.ts';

const name = `lock-${process.pid}`;

describe('a lock', () => {
  it('lets one at a time through', async () => {
    let inside = 0;
    const work = async () => {
      assert.equal(++inside, 1);
      await sleep(60);
      inside--;
    };
    await Promise.all([withLock(name, work), withLock(name, work), withLock(name, work)]);
    await assert.rejects(
      withLock(name, () => withLock(name, async () => {}, 100)),
      /still works/,
    );
  });

  it('is free again when its holder was shot, and when its work failed', async () => {
    const code = `import { withLock } from '${new URL('./lock.ts', import.meta.url).href}';
      await withLock('${name}', () => { console.log('held'); return new Promise(() => setInterval(() => {}, 1000)); });`;
    const holder = spawn(process.execPath, ['--input-type=module-typescript', '--eval', code], { timeout: 20_000 });
    await once(holder.stdout, 'data');
    await assert.rejects(
      withLock(name, async () => {}, 100),
      /still works/,
    );
    holder.kill('SIGKILL');
    await assert.rejects(
      withLock(name, () => Promise.reject(new Error('failed')), 5000),
      /^Error: failed$/,
    );
    assert.equal(await withLock(name, async () => 1, 1000), 1);
  });
});
