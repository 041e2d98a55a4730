import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createPasswords } from './passwords.ts';

describe('passwords', () => {
  it('are hashed a few at a time; a few requests wait, and others are refused', async () => {
    const passwords = createPasswords({ atOnce: 1 });
    const stored = await passwords.hash('a long enough password');
    const settled = await Promise.allSettled(Array.from({ length: 80 }, () => passwords.verify(stored, 'wrong')));
    const refused = settled.filter((one) => one.status === 'rejected');
    assert.equal(refused.length, 80 - 1 - 64);
    for (const { reason } of refused) assert.deepEqual([reason.code, reason.retryAfterSecs], ['overloaded', 2]);
    assert.equal(await passwords.verify(stored, 'a long enough password'), true, 'and then there is room again');
  });

  it('match however they were typed, and never match an account without one', async () => {
    const passwords = createPasswords();
    const stored = await passwords.hash('pa\u0308ssword long');
    assert.equal(await passwords.verify(stored, 'p\u00e4ssword long'), true);
    assert.equal(await passwords.verify(null, 'nobody has this password'), false);
    assert.equal(passwords.isOutdated(stored), false);
    assert.equal(passwords.isOutdated(stored.replace('t=2', 't=1')), true);
  });
});
