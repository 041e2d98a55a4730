import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testSeed } from '../../testkit/seed.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { stealSecrets } from './secrets.ts';

describe(`secrets beside frames that want them (seed ${testSeed})`, () => {
  it('come nowhere but where they were meant, and honest pages are done', { timeout: 180_000 }, async () => {
    const tricks = [
      'focus-every-3ms',
      'focus-other-port',
      'focus-rewritten',
      'popup-by-timer',
      'popup-by-stolen-keys',
      'top-sandboxed',
    ];
    const result = await withStack(`secrets-${process.pid}`, (stack) =>
      stealSecrets({ stack, seed: testSeed, tricks, secrets: 2, honest: 1, atOnce: 2 }),
    );
    assert.equal(result.secrets, tricks.length * 2 * 2);
    assert.deepEqual(result.wrong, []);
    assert.deepEqual(result.undone, []);
  });
});
