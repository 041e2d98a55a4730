import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isToken, subjectsMeet } from './subject.ts';
import { hostUser, inboxPrefix, subjects } from './subjects.ts';

const crafted = ['', '*', '>', 'a.b', 'a.>', 'a b', 'a\r\nPUB x 0', 'ä', '{host_id}', 'a'.repeat(129)];

test('a subject is built from its tokens and read back', () => {
  const tokens = { host_id: 'h1', session_id: '0197-aa_B' };
  const built = subjects.frame.to(tokens);
  assert.equal(built, 'host.h1.session.0197-aa_B.frame');
  assert.deepEqual(subjects.frame.read(built), tokens);
  assert.equal(subjects.loginRevoked.to({}), 'login.revoked');
});

test('only open tokens become wildcards', () => {
  assert.equal(subjects.frame.filter({ session_id: 's1' }), 'host.*.session.s1.frame');
  assert.equal(subjects.heartbeat.filter({}), 'host.*.heartbeat');
  // @ts-expect-error a command has no open token
  assert.throws(() => subjects.sessionCommand.filter({ host_id: 'h1' }), TypeError);
});

test('a crafted id is refused wherever it would enter a subject', () => {
  for (const id of crafted) {
    assert.throws(() => subjects.hostCommand.to({ host_id: id }), TypeError, id);
    assert.throws(() => subjects.heartbeat.filter({ host_id: id }), TypeError, id);
    assert.throws(() => hostUser(id), TypeError, id);
    assert.throws(() => inboxPrefix(id), TypeError, id);
  }
});

test('whatever the id, a subject keeps its shape or is refused', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom('h1', ...crafted)), (id) => {
      if (!isToken(id)) return assert.throws(() => subjects.hostCommand.to({ host_id: id }), TypeError);
      assert.deepEqual(subjects.hostCommand.to({ host_id: id }).split('.'), ['host', id, 'command']);
    }),
  );
});

test('a subject of another kind is not read', () => {
  for (const other of [
    'host.h1.session.s1.command',
    'host.h1.frame',
    'host..session.s1.frame',
    '',
    'host.*.session.s.frame',
  ]) {
    assert.equal(subjects.frame.read(other), undefined, other);
  }
});

test('two patterns meet where some subject fits both, however they are spelled', () => {
  const meeting = [
    ['a.b', 'a.b'],
    ['a.*', 'a.b'],
    ['*.b', 'a.*'],
    ['a.>', 'a.b.c'],
    ['>', 'a'],
    ['a.*.c', 'a.>'],
    ['host.h1.>', 'host.*.session.*.command'],
  ] as const;
  const apart = [
    ['a.b', 'a.c'],
    ['a.*', 'a'],
    ['a.*', 'a.b.c'],
    ['a.>', 'a'],
    ['a.>', 'b.>'],
    ['host.h1.command', 'host.h1.session.*.command'],
    ['_IN.server-1.>', '_IN.server-10.>'],
  ] as const;
  for (const [one, other] of meeting)
    assert.ok(subjectsMeet(one, other) && subjectsMeet(other, one), `${one} ${other}`);
  for (const [one, other] of apart)
    assert.ok(!subjectsMeet(one, other) && !subjectsMeet(other, one), `${one} ${other}`);
});
