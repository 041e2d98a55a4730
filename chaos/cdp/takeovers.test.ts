import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { takeFromPrograms } from './takeovers.ts';

it(`programs do nothing while a person drives, and go on afterwards (seed ${seed})`, async () => {
  const { wrong, programs } = await withStack(`cdp-takeovers-${process.pid}`, (stack) =>
    takeFromPrograms({ stack, seed, takeovers: 8, crashes: 0 }),
  );
  console.log(JSON.stringify(programs));
  assert.deepEqual(wrong, []);
  assert.equal(Object.keys(programs).length, 3);
});
