import assert from 'node:assert/strict';
import { it } from 'node:test';
import { faultsOf, formOf, newKey, policyOf, stricterThan } from './policy-form.ts';

const policy = { mode: 'careful', deny: ['ads.test', 'bank.test'], watch: ['shop.test'] } as const;
const given = { ...policy, deny: [...policy.deny], watch: [...policy.watch] };
const none = { mode: 'standard' as const, allow: [], deny: [], read_only: [], watch: [] };

it('rules are written, and sent as they were', () => {
  const form = formOf(given);
  assert.deepEqual(policyOf(form), given);
  assert.deepEqual(policyOf(formOf({})), {});
  assert.equal(newKey(form), 3);
  assert.equal(newKey(formOf({})), 0);
});

it('lines without words are no rules, and a fault is told at its own line', () => {
  const form = formOf(given);
  form.lines.deny.unshift({ key: 7, text: '  ' });
  form.lines.deny.push({ key: 8, text: ' *.a.test ' });
  assert.deepEqual(policyOf(form).deny, ['ads.test', 'bank.test', '*.a.test']);
  const faults = faultsOf(form, [
    { pointer: '/body/deny/2', message: 'must be a host name' },
    { pointer: '/body/allow', message: 'must have at most 100 items.' },
    { pointer: '/body/mode', message: 'is wrong' },
  ]);
  assert.deepEqual(faults, {
    lines: { 8: 'Must be a host name.' },
    lists: { allow: 'Must have at most 100 items.' },
  });
});

it('says where the installation is stricter', () => {
  const effective = {
    ...none,
    mode: 'watch' as const,
    deny: ['ads.test', 'bank.test', 'evil.test'],
    watch: ['shop.test'],
  };
  const stricter = stricterThan({ policy: given, effective });
  assert.deepEqual([stricter.mode, stricter.deny, stricter.watch], ['watch', ['evil.test'], []]);
  assert.equal(stricterThan({ policy: {}, effective: none }).mode, undefined, 'no mode of its own is none to compare');
  assert.equal(stricterThan({ policy: { mode: 'watch' }, effective: { ...none, mode: 'watch' } }).mode, undefined);
});

it('of hosts that are allowed, names those that the installation leaves out', () => {
  const effective = { ...none, allow: ['b.shop.test'] };
  assert.deepEqual(stricterThan({ policy: {}, effective }).onlyAllowed, ['b.shop.test']);
  const both = stricterThan({ policy: { allow: ['b.shop.test', 'else.test'] }, effective });
  assert.deepEqual([both.onlyAllowed, both.notAllowed], [[], ['else.test']]);
  assert.deepEqual(stricterThan({ policy: { allow: ['a.test'] }, effective: none }).notAllowed, []);
});
