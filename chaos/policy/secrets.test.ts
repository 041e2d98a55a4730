import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testSeed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { hideSecrets } from './secrets.ts';

describe(`canary secrets (seed ${testSeed})`, () => {
  it('are in nothing that is kept, and came to no other origin', { timeout: 400_000 }, async (test) => {
    const { isGood, figures } = await withStack(`canaries-${process.pid}`, (stack) =>
      hideSecrets({ stack, seed: testSeed, secrets: 2 }),
    );
    test.diagnostic(JSON.stringify(figures));
    assert.deepEqual(figures.found, []);
    assert.equal(figures.strayed, 0);
    assert.deepEqual(figures.wrong, []);
    assert.ok(isGood);
  });
});
