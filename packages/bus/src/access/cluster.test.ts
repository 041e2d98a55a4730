import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { z } from 'zod';
import { type Certificate, makeCertificate } from '../../../../testkit/certificate.ts';
import { findAskingNats, withoutAskingNats } from '../../testing/asking-nats.ts';
import { type ClusterForTest, startCluster } from '../../testing/cluster.ts';
import { startNats, type Who } from '../../testing/nats.ts';
import { until } from '../../testing/wait.ts';
import { type Bus, connectBus } from '../transport/connect.ts';
import type { BusStatus } from '../transport/link.ts';
import { json } from '../wire/codec.ts';
import { defineRequest } from '../wire/define.ts';
import { askersOf, subjects } from '../wire/subjects.ts';
import { type BusPasswords, natsConfig } from './nats-config.ts';

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
let certificate: Certificate;

before(async () => {
  certificate = await makeCertificate('localhost');
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

describe('members at different nodes reach each other after their passwords were replaced', () => {
  /** Each has one node, to which it comes back: with NATS 2.9 nobody would hear of that after a reload. */
  async function replace(program: string | undefined, way: (nodes: ClusterForTest, next: BusPasswords) => unknown) {
    await using all = new AsyncDisposableStack();
    const started = startCluster({ nodes: 2, passwords: passwordsWith(former), certificate, program });
    const nodes = all.adopt(await started, (one) => one.close());
    let password = former;
    const signIn = (who: Who, node: number) => ({ ...nodes.as(who), servers: nodes.urls[node] ?? '' });
    const host = await connectBus({ ...signIn({ host: 'h1' }, 0), password: () => password });
    all.adopt(host, close);
    const server = await connectBus({ ...signIn('server', 1), password: () => password });
    all.adopt(server, close);
    await host.respond(echo, { host_id: 'h1' }, (n) => n + 1).ready({ timeoutMs: 1000 });
    await until(() => isAnswered(server), 5000);
    password = `${next},${former}`;
    await way(nodes, passwordsWith(next));
    password = next;
    const isBack = async () => host.isConnected() && server.isConnected() && (await isAnswered(server));
    // Until the new ones are read, the former ones are good.
    await sleep(500);
    await until(isBack, 5000);
    await assert.rejects(connectBus({ ...signIn('server', 0), password: former }), /authori[sz]ation/i);
  }

  test('by a restart of one node after the other', () => replace(undefined, (nodes, all) => nodes.restartWith(all)));
  test('by a reload, with NATS 2.10', { skip: withoutAskingNats }, () =>
    replace(findAskingNats(), (nodes, all) => nodes.setPasswords(all)),
  );
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
