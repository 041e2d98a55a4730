import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { testLimits } from './policy.ts';

// `npm run chaos -- policy` does it at full size.
it(`limits hold against hostile pages and pages that change, and hinder no harmless one (seed ${seed})`, async () => {
  const { isGood, figures } = await withStack(`policy-${process.pid}`, (stack) =>
    testLimits({ stack, seed, isSmall: true }),
  );
  assert.deepEqual(Object.keys(figures), ['obedient', 'twins', 'swaps']);
  assert.ok(isGood, JSON.stringify(figures));
});
