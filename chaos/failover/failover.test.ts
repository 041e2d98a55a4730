import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { failOver, isFailoverGood } from './failover.ts';

it('the standby is promoted when the primary dies: nothing acknowledged is lost, no number is given twice', async () => {
  const figures = await withStack(`failover-${process.pid}`, (stack) =>
    failOver({ stack, seed, rounds: 1, loadMs: 1500, atOnce: 3, each: 1 }),
  );
  console.log(JSON.stringify(figures));
  assert.ok(isFailoverGood(figures), JSON.stringify(figures));
});
