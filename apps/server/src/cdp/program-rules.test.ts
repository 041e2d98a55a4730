import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { programRulesOf } from './program-rules.ts';

const standing = { policy: null, isAdmin: false, isWatched: true };

describe('the rules for a connected program', () => {
  it('are those of the installation and of its user, the strictest of both', () => {
    const policy = { mode: 'careful', deny: ['b.test'] };
    const { rules, is_given } = programRulesOf({ mode: 'standard', deny: ['a.test'] }, { ...standing, policy }, true);
    assert.deepEqual([rules.mode, rules.deny, is_given], ['careful', ['a.test', 'b.test'], true]);
  });

  it('are free for administrators only', () => {
    const free = { ...standing, policy: { mode: 'free' } };
    assert.equal(programRulesOf({}, free, false).rules.mode, 'standard');
    assert.equal(programRulesOf({}, { ...free, isAdmin: true }, false).rules.mode, 'free');
  });

  it('are the strictest where they cannot be read', () => {
    assert.equal(programRulesOf({}, { ...standing, policy: { mode: 'of a later release' } }, true).rules.mode, 'watch');
  });

  it('say who watches only where it matters', () => {
    assert.equal(programRulesOf({}, standing, true).is_watched, false);
    assert.equal(programRulesOf({ mode: 'watch' }, standing, true).is_watched, true);
    assert.equal(programRulesOf({ watch: ['bank.test'] }, standing, true).is_watched, true);
  });
});
