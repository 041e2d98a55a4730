import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSeed } from '@pilothouse/bus';
import { SettingsError } from '@pilothouse/process';
import { readConfig } from './config.ts';

const at = { NATS_URL: 'nats://127.0.0.1:4222' };
const secret = newSeed('join');

test('a host has a user by name, or a secret to come by itself, and not both', () => {
  const named = readConfig({ ...at, HOST_ID: 'h1', NATS_PASSWORD: 'p' });
  assert.deepEqual([named.hostId, named.bus.user, named.isJoining], ['h1', 'host-h1', false]);
  const [one, two] = [readConfig({ ...at, HOST_JOIN_SECRET: secret }), readConfig({ ...at, HOST_JOIN_SECRET: secret })];
  assert.match(one.hostId, /^join-[0-9a-f]{32}$/);
  assert.notEqual(one.hostId, two.hostId);
  assert.deepEqual([one.bus.user, one.isJoining], [`host-${one.hostId}`, true]);
});

test('what is missing or wrong is named, and no secret is shown', () => {
  const wrong: [Record<string, string>, RegExp][] = [
    [{}, /HOST_ID: .*\n.*NATS_PASSWORD: /],
    [{ HOST_ID: 'h1' }, /NATS_PASSWORD: is required, or HOST_JOIN_SECRET/],
    [{ HOST_JOIN_SECRET: secret, HOST_ID: 'h1' }, /HOST_JOIN_SECRET: goes with neither/],
    [{ HOST_JOIN_SECRET: secret, NATS_PASSWORD: 'p' }, /HOST_JOIN_SECRET: goes with neither/],
    [{ HOST_JOIN_SECRET: 'SUnoneofthis' }, /HOST_JOIN_SECRET: must be the seed/],
    [{ HOST_JOIN_SECRET: newSeed('signing') }, /HOST_JOIN_SECRET: must be the seed/],
  ];
  for (const [env, message] of wrong)
    assert.throws(
      () => readConfig({ ...at, ...env }),
      (error) =>
        error instanceof SettingsError &&
        message.test(error.message) &&
        !error.message.includes(env.HOST_JOIN_SECRET ?? 'SU…'),
      String(message),
    );
});
