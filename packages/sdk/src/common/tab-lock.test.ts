import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLaggingStorage } from '../../testing/lagging-storage.ts';
import { sleep, systemClock } from './clock.ts';
import { createMemoryStorage } from './kept-tokens.ts';
import { createStorageLock, leaseMs } from './tab-lock.ts';

const never = new AbortController().signal;
const place = { key: 'lock', clock: systemClock, random: Math.random };

describe('the lock in the storage', () => {
  it('is held by one at a time, also when two ask at the same moment and see each other late', async () => {
    let holders = 0;
    let turns = 0;
    const task = async () => {
      holders += 1;
      assert.equal(holders, 1);
      // Long enough for a second holder, who found the lock free in the same moment, to be noticed.
      await sleep(5);
      holders -= 1;
      turns += 1;
    };
    const locks = createLaggingStorage(20).map((storage) => createStorageLock({ ...place, storage }));
    for (let round = 0; round < 5; round += 1) await Promise.all(locks.map((lock) => lock(task, never)));
    assert.equal(turns, 10);
  });

  it('is given back when the task fails', async () => {
    const storage = createMemoryStorage();
    const lock = createStorageLock({ ...place, storage });
    await assert.rejects(
      lock(() => Promise.reject(new Error('no')), never),
      /no/,
    );
    assert.equal(storage.getItem('lock'), null);
  });

  it('is given up, and left to its holder, by one that waits no longer', async () => {
    const storage = createMemoryStorage();
    const stop = new AbortController();
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const holding = createStorageLock({ ...place, storage })(() => {
      begun.resolve();
      return held.promise;
    }, never);
    await begun.promise;
    const waiting = createStorageLock({ ...place, storage })(() => assert.fail('never'), stop.signal);
    stop.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    assert.notEqual(storage.getItem('lock'), null);
    held.resolve();
    await holding;
    assert.equal(storage.getItem('lock'), null);
  });

  for (const [name, text] of [
    ['has run out', JSON.stringify({ owner: 'x', until: Date.now() - 1 })],
    ['was written before the clock was set back', JSON.stringify({ owner: 'x', until: Date.now() + 10 * leaseMs })],
    ['is rubbish', '{'],
  ] as const) {
    it(`is free when what is there ${name}`, { timeout: 5000 }, async () => {
      const storage = createMemoryStorage();
      storage.setItem('lock', text);
      let isDone = false;
      await createStorageLock({ ...place, storage })(async () => {
        isDone = true;
      }, never);
      assert.ok(isDone);
    });
  }
});
