import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { shootWhileShown } from './console.ts';

it('a page of the console goes on by itself, whatever is killed while a person watches, or drives and types', async () => {
  console.log(`seed ${seed}`);
  const { wrong, met } = await withStack(`console-kills-${process.pid}`, (stack) =>
    shootWhileShown({ stack, seed, count: 1 }),
  );
  console.log(JSON.stringify(met));
  assert.deepEqual(wrong, []);
  assert.equal(Object.keys(met).length, 8);
});
