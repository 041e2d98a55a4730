import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWheel } from './wheel.ts';

test('a newer epoch takes the wheel when the former has let go, and the former is told at once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wheel = createWheel(1, () => promise);
  const former = wheel.signal();
  let isTaken = false;
  const taking = wheel.take(2).then((taken) => {
    isTaken = taken;
  });
  assert.ok(former.aborted);
  assert.equal(wheel.epoch(), 2);
  assert.equal(await wheel.take(1), false);
  assert.equal(isTaken, false, 'not before the former has let go');
  resolve();
  await taking;
  assert.equal(isTaken, true);
});

test('one that does not let go is not taken for gone, and whoever asks again has it tried again', async () => {
  let tries = 0;
  const wheel = createWheel(1, async () => {
    tries += 1;
    if (tries < 3) throw new Error('hangs');
  });
  await assert.rejects(wheel.take(2), /hangs/);
  await assert.rejects(wheel.take(2), /hangs/);
  assert.equal(await wheel.take(2), true);
  assert.equal(await wheel.take(2), true);
  assert.equal(tries, 3, 'not again once it has let go');
});

test('of two that come at once the newer drives', async () => {
  const wheel = createWheel(1, async () => {});
  assert.deepEqual(await Promise.all([wheel.take(2), wheel.take(3)]), [false, true]);
});
