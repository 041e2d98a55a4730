import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { shootWhileDriven } from './kills.ts';

it('a person keeps the wheel, or has it under a new epoch, whatever is shot', async () => {
  console.log(`seed ${seed}`);
  const { wrong, ...met } = await withStack(`wheel-kills-${process.pid}`, (stack) =>
    shootWhileDriven({ stack, seed, rounds: 1 }),
  );
  console.log(JSON.stringify(met));
  assert.deepEqual(wrong, []);
});
