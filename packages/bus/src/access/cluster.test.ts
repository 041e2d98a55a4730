import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { z } from 'zod';
import { makeCertificate } from '../../../../testkit/certificate.ts';
import { type ClusterForTest, startCluster } from '../../testing/cluster.ts';
import { startNats } from '../../testing/nats.ts';
import { until } from '../../testing/wait.ts';
import { type Bus, connectBus } from '../transport/connect.ts';
import type { BusStatus } from '../transport/link.ts';
import { json } from '../wire/codec.ts';
import { defineRequest } from '../wire/define.ts';
import { askersOf, subjects } from '../wire/subjects.ts';
import { natsConfig } from './nats-config.ts';

const echo = defineRequest({
  name: 'echo',
  subject: subjects.hostCommand,
  askers: askersOf(subjects.hostCommand),
  request: json(z.number()),
  reply: json(z.number()),
});
const [former, next] = ['the-former-password', 'the-next-password-1'];
const passwordsWith = (word: string) => ({ servers: { 1: word }, agents: {}, hosts: { h1: word } });
const trusted = getCACertificates('default');
const close = (bus: Bus) => bus.close({ timeoutMs: 200 });
let cluster: ClusterForTest;

before(async () => {
  const certificate = await makeCertificate('localhost');
  setDefaultCACertificates([...trusted, certificate.authority]);
  cluster = await startCluster({ nodes: 3, passwords: passwordsWith(former), certificate });
});
after(async () => {
  setDefaultCACertificates(trusted);
  await cluster?.close();
});

const ask = (bus: Bus) => bus.request(echo, { host_id: 'h1' }, 1, { timeoutMs: 1000 });
const isAnswered = async (bus: Bus) => (await ask(bus)).ok;

test('a request reaches a host at another node, and both go on when their nodes are killed', async () => {
  await using all = new AsyncDisposableStack();
  const host = all.adopt(await connectBus({ ...cluster.as({ host: 'h1' }), servers: rotated(1) }), close);
  const server = all.adopt(await connectBus({ ...cluster.as('server'), servers: rotated(0) }), close);
  await host.respond(echo, { host_id: 'h1' }, (n) => n + 1).ready({ timeoutMs: 1000 });
  // The nodes tell each other a moment later.
  await until(() => isAnswered(server), 5000);
  for (const node of [0, 1, 2]) {
    await cluster.kill(node);
    await until(() => isAnswered(server), 5000);
    await cluster.start(node);
  }
});

/** One of them is the first. */
const rotated = (first: number) => [...cluster.urls.slice(first), ...cluster.urls.slice(0, first)];

test('passwords are replaced while the bus is in use: connections come back by the new one at once', async () => {
  await using all = new AsyncDisposableStack();
  const seen: BusStatus[] = [];
  const onStatus = (status: BusStatus) => void seen.push(status);
  const password = `${next},${former}`;
  const host = all.adopt(await connectBus({ ...cluster.as({ host: 'h1' }), password }), close);
  let read = former;
  const server = all.adopt(await connectBus({ ...cluster.as('server'), password: () => read, onStatus }), close);
  await host.respond(echo, { host_id: 'h1' }, (n) => n + 1).ready({ timeoutMs: 1000 });
  await until(() => isAnswered(server), 5000);
  // As where a file is read again.
  read = password;
  cluster.setPasswords(passwordsWith(next));
  await until(() => seen.filter(({ type }) => type === 'connected').length === 4, 5000);
  await until(() => isAnswered(server), 5000);
  await assert.rejects(connectBus({ ...cluster.as('server'), password: former }), /authori[sz]ation/i);
});

test('with tls:// a server without TLS is told no password', async () => {
  const plain = await startNats();
  try {
    const servers = `tls://127.0.0.1:${plain.port}`;
    await assert.rejects(connectBus({ ...plain.as('server'), servers, connectTimeoutMs: 700 }), { name: 'WaitError' });
  } finally {
    await plain.close();
  }
});

test('what NATS would read as something else is refused in a cluster', () => {
  const good = { port: 6222, password: 'abcdefghijklmnop', routes: ['a:1', 'b.test:2'] };
  const passwords = passwordsWith(former);
  for (const bad of [{ password: 'short' }, { password: 'abcdefghijklmno@' }, { routes: ['a'] }, { routes: ['a:1"'] }])
    assert.throws(() => natsConfig({ port: 4222, passwords, cluster: { ...good, ...bad } }), TypeError);
  assert.throws(() => natsConfig({ port: 4222, passwords, cluster: { ...good, port: 0 } }), RangeError);
});
