import assert from 'node:assert/strict';
import { test } from 'node:test';
import { natsConfig } from './nats-config.ts';

const good = 'abcdefghijklmnop';
const passwords = { servers: { 1: good }, agents: { 1: good }, hosts: { h1: good } };

test('a password that NATS would read as something else is refused, and not shown', () => {
  const bad = [
    'short',
    '$2a$11$abcdefghijklmnop',
    '$PASSWORD_FROM_ENV',
    `${good}"`,
    `${good}'`,
    `${good}\n`,
    `${good}\\`,
    `${good} #`,
    '',
  ];
  for (const server of bad) {
    assert.throws(
      () => natsConfig({ port: 4222, passwords: { ...passwords, servers: { 1: server } } }),
      (error) => error instanceof TypeError && (server === '' || !error.message.includes(server)),
      server,
    );
  }
});

test('an id that is no plain id is refused', () => {
  for (const id of ['*', '>', 'a.b', '"', 'a b', '']) {
    for (const place of ['servers', 'agents', 'hosts']) {
      const given = { ...passwords, [place]: { [id]: good } };
      assert.throws(() => natsConfig({ port: 4222, passwords: given }), TypeError, `${place} ${id}`);
    }
  }
});

test('a bus without users is refused: NATS would take it for one that needs no passwords', () => {
  assert.throws(() => natsConfig({ port: 4222, passwords: { servers: {}, agents: {}, hosts: {} } }), /without users/);
});

test('the server listens on loopback and opens nothing but its port', () => {
  const config = natsConfig({ port: 4222, passwords });
  assert.match(config, /^host: "127\.0\.0\.1"$/m);
  assert.match(config, /^max_payload: 8388608$/m);
  assert.doesNotMatch(config, /http|jetstream|cluster|leafnodes|websocket/);
});

test('a host called like a server shares nothing with the server', () => {
  const config = natsConfig({ port: 4222, passwords: { ...passwords, hosts: { 'server-1': good } } });
  assert.equal(config.split('"_IN.server-1.>"').length, 2);
  assert.equal(config.split('"_IN.host-server-1.>"').length, 2);
});

test('a file of TLS that NATS would read as something else is refused', () => {
  for (const file of ['nats.pem', '/a"b', '/a b', '/a\n', '$KEY', ''])
    assert.throws(() => natsConfig({ port: 4222, passwords, tls: { cert: '/nats.pem', key: file } }), TypeError, file);
});
