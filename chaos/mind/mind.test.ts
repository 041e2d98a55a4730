import assert from 'node:assert/strict';
import { it } from 'node:test';
import { testSeed as seed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { troubleMinds } from './mind.ts';

// `npm run chaos -- mind` does it at full size.
it(`a task that a model plans holds against people, faults and kills (seed ${seed})`, async () => {
  const { isGood, figures } = await withStack(`mind-${process.pid}`, (stack) =>
    troubleMinds({ stack, seed, isSmall: true }),
  );
  assert.deepEqual(Object.keys(figures).toSorted(), [
    'budgets',
    'cancel',
    'faults',
    'kills',
    'long',
    'noisy',
    'wheel',
    'words',
  ]);
  assert.ok(isGood, JSON.stringify(figures));
});
