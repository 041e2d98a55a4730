import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../types/route.ts';
import { LoginRequest, NewPassword, RegisterRequest } from './auth.ts';
import { routes } from './routes.ts';

const good = { username: 'ada.l-1_', email: 'ada@example.com', password: 'correct horse' };
const registers = (change: object) => RegisterRequest.safeParse({ ...good, ...change }).success;

test('a name holds 3 to 64 of the allowed characters', () => {
  for (const username of ['abc', 'A.b_c-9', 'x'.repeat(64)]) assert.ok(registers({ username }), username);
  for (const username of ['ab', 'x'.repeat(65), 'a@b', 'a b', 'ädä', 'abc\n', '']) {
    assert.ok(!registers({ username }), username);
  }
});

test('an e-mail address has one @ with something on both sides, and at most 254 characters', () => {
  for (const email of ['a@b', 'Ada+x@Example.com', `${'x'.repeat(250)}@b.c`]) assert.ok(registers({ email }), email);
  for (const email of ['', 'ab', '@b', 'a@', 'a@b@c', 'a b@c', 'a@b\0', 'a@b\n', `${'x'.repeat(251)}@b.c`]) {
    assert.ok(!registers({ email }), email);
  }
});

test('a new password is counted in code points, and its normalised form in bytes', () => {
  for (const value of ['12345678', '👍'.repeat(8), '👍'.repeat(256), 'x'.repeat(256)]) {
    assert.ok(NewPassword.safeParse(value).success, value);
  }
  // The last one is a single letter that becomes 18 when normalised.
  for (const value of [
    '1234567',
    '👍'.repeat(7),
    '👍'.repeat(257),
    'x'.repeat(257),
    'abcdefg\0',
    '\ufdfa'.repeat(100),
  ]) {
    assert.ok(!NewPassword.safeParse(value).success, value);
  }
});

test('a password too short to exist may still be tried, and is then merely wrong', () => {
  assert.ok(LoginRequest.safeParse({ username_or_email: 'ada', password: 'x' }).success);
});

test('no body of authentication takes an unknown field', () => {
  const samples: Record<string, object> = {
    register: good,
    login: { username_or_email: 'ada', password: 'correct horse' },
    consoleLogin: { username_or_email: 'ada', password: 'correct horse' },
    refresh: { refresh_token: 'phr_x' },
    logout: {},
    changePassword: { current_password: 'correct horse', new_password: 'battery staple' },
    logoutAll: {},
    createKey: { label: 'ci' },
  };
  const withBody = Object.entries<Route>(routes).filter(([, route]) => route.area === 'auth' && route.body);
  for (const [name, { body }] of withBody) {
    assert.ok(body?.safeParse(samples[name]).success, name);
    assert.ok(!body?.safeParse({ ...samples[name], extra: 1 }).success, name);
  }
});
