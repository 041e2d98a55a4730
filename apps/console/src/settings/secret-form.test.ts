import assert from 'node:assert/strict';
import { it } from 'node:test';
import { textsOf } from './lines.ts';
import { faultOfName, faultsOf, isAtField, linesOf, nameInTexts, nextKey } from './secret-form.ts';

it('origins are written one a line, and empty lines are not sent', () => {
  assert.deepEqual(linesOf([]), [{ key: 0, text: '' }]);
  const lines = [...linesOf(['https://a.test', 'https://b.test']), { key: 2, text: '  ' }];
  assert.equal(nextKey(lines), 3);
  assert.equal(nextKey([]), 0);
  assert.deepEqual(textsOf([...lines, { key: 3, text: ' https://c.test ' }]), [
    'https://a.test',
    'https://b.test',
    'https://c.test',
  ]);
});

it('what the server says is told at its field, and of an origin at its own line', () => {
  const lines = [
    { key: 4, text: ' ' },
    { key: 5, text: 'https://a.test' },
    { key: 9, text: 'a.test/path' },
  ];
  const faults = faultsOf(lines, [
    { pointer: '/body/origins/1', message: 'must be an exact origin' },
    { pointer: '/body/origins', message: 'must be different from each other' },
    { pointer: '/body/value', message: 'must have at least 4 characters.' },
    { pointer: '/body/totp', message: 'must be base32' },
    { pointer: '/params/name', message: 'is no name' },
    { pointer: '/body/other', message: 'is wrong' },
    { pointer: '/body/origins/7', message: 'is of no line' },
  ]);
  assert.deepEqual(faults, {
    name: 'Is no name.',
    value: 'Must have at least 4 characters.',
    totp: 'Must be base32.',
    origins: 'Is of no line.',
    lines: { 9: 'Must be an exact origin.' },
  });
  assert.ok(isAtField(faults));
  assert.ok(isAtField(faultsOf(lines, [{ pointer: '/body/origins/0', message: 'x' }])));
  assert.ok(!isAtField(faultsOf(lines, [{ pointer: '', message: 'The request is wrong.' }])));
});

it('a name that would be another address is refused before it is sent', () => {
  for (const name of ['github', 'a', '1.2-3_4', 'a'.repeat(64)]) assert.equal(faultOfName(name), undefined, name);
  for (const name of ['', '.', '..', '../profiles/x', 'a b', '-a', 'a/b', '<img>', 'a'.repeat(65)])
    assert.match(faultOfName(name) ?? '', /^Must be 1 to 64/, name);
});

it('says how texts name it, also while nothing is written', () => {
  assert.equal(nameInTexts('secret', ' github '), '{{secret:github}}');
  assert.equal(nameInTexts('totp', ''), '{{totp:name}}');
});
