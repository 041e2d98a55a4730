import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDriver } from './driver.ts';

test('a newer epoch drives once the former driver has stopped, and the former is told at once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const driver = createDriver(1, () => promise);
  const former = driver.signal();
  let isTaken = false;
  const taking = driver.take(2).then((taken) => {
    isTaken = taken;
  });
  assert.ok(former.aborted);
  assert.equal(driver.epoch(), 2);
  assert.equal(await driver.take(1), false);
  assert.equal(isTaken, false, 'not before the former has stopped');
  resolve();
  await taking;
  assert.equal(isTaken, true);
});

test('a driver that does not stop is not replaced, and is stopped again when the new driver asks again', async () => {
  let attempts = 0;
  const driver = createDriver(1, async () => {
    attempts += 1;
    if (attempts < 3) throw new Error('hangs');
  });
  await assert.rejects(driver.take(2), /hangs/);
  await assert.rejects(driver.take(2), /hangs/);
  assert.equal(await driver.take(2), true);
  assert.equal(await driver.take(2), true);
  assert.equal(attempts, 3, 'not again once it has stopped');
});

test('of two drivers that come at once the newer drives', async () => {
  const driver = createDriver(1, async () => {});
  assert.deepEqual(await Promise.all([driver.take(2), driver.take(3)]), [false, true]);
});

test('an epoch that no database can have issued changes nothing, and the next real epoch still drives', async () => {
  let stops = 0;
  const driver = createDriver(7, async () => {
    stops += 1;
  });
  const signal = driver.signal();
  for (const forged of [2_000_000, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
    assert.equal(driver.mayTake(forged), false);
    assert.equal(await driver.take(forged), false);
  }
  assert.deepEqual([driver.epoch(), signal.aborted, stops], [7, false, 0]);
  assert.equal(await driver.take(8), true);
  assert.equal(await driver.take(1_000_008), true, 'as far as an epoch may rise between two commands');
});
