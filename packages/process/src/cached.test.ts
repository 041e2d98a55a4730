import assert from 'node:assert/strict';
import { it } from 'node:test';
import { cached } from './cached.ts';

it('an answer is kept for its time, shared by those who ask at once, and asked again where it failed', async () => {
  let asked = 0;
  const ask = cached(async () => {
    asked += 1;
    if (asked === 2) throw new Error('away');
    return asked;
  }, 60_000);
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
  assert.equal(await ask(), 1);
  const never = cached(async () => {
    asked += 1;
    if (asked === 2) throw new Error('away');
    return asked;
  }, 0);
  await assert.rejects(never(), /away/);
  assert.equal(await never(), 3);
  assert.equal(await never(), 4);
});
