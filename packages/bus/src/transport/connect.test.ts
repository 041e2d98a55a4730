import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { z } from 'zod';
import { sampleFrame } from '../../testing/frame.ts';
import { type NatsForTest, startNats } from '../../testing/nats.ts';
import { until } from '../../testing/wait.ts';
import { frame } from '../messages/frames.ts';
import { json } from '../wire/codec.ts';
import { WaitError } from '../wire/deadline.ts';
import { defineRequest } from '../wire/define.ts';
import { subjects } from '../wire/subjects.ts';
import { connectBus } from './connect.ts';
import type { BusStatus } from './link.ts';

const echo = defineRequest({
  name: 'echo',
  subject: subjects.hostCommand,
  askers: () => ['server'],
  request: json(z.number()),
  reply: json(z.number()),
});
const to = { host_id: 'h1', session_id: 's1' };
let nats: NatsForTest;

before(async () => {
  nats = await startNats({ hosts: ['h1'] });
});
beforeEach(async () => {
  await nats.kill();
  await nats.start();
});
after(() => nats?.close());

test('after the server was shot and came back, responders, subscriptions and requests live on', async () => {
  await using all = new AsyncDisposableStack();
  const statuses: BusStatus[] = [];
  const host = all.adopt(await connectBus(nats.as({ host: 'h1' })), (bus) => bus.close());
  const server = all.adopt(
    await connectBus({ ...nats.as('server'), onStatus: (status) => statuses.push(status) }),
    (bus) => bus.close(),
  );
  const frames: number[] = [];
  await host.respond(echo, to, (n) => n + 1).ready({ timeoutMs: 1000 });
  await server
    .subscribeNewest(frame, { session_id: 's1' }, ({ header }) => void frames.push(header.seq))
    .ready({ timeoutMs: 1000 });
  assert.ok(await server.ping({ timeoutMs: 2000 }));
  assert.equal(server.steadyForMs(), Number.POSITIVE_INFINITY);

  await nats.kill();
  assert.equal(await server.ping({ timeoutMs: 500 }), false);
  await until(() => !server.isConnected() && !host.isConnected());
  assert.equal(server.steadyForMs(), 0);
  assert.deepEqual(host.publish(frame, to, sampleFrame({ seq: 1 })), { ok: false, reason: 'disconnected' });
  const down = await server.request(echo, to, 1, { timeoutMs: 500 });
  assert.deepEqual(down, { ok: false, reason: 'disconnected', mayHaveActed: false });

  await nats.start();
  await until(() => server.isConnected() && host.isConnected());
  const steadyMs = server.steadyForMs();
  assert.ok(steadyMs > 0 && steadyMs < 60_000, `${steadyMs} ms`);
  assert.ok((await server.ping({ timeoutMs: 2000 })) && (await host.ping({ timeoutMs: 2000 })));
  assert.deepEqual(await server.request(echo, to, 1, { timeoutMs: 1000 }), { ok: true, reply: 2 });
  host.publish(frame, to, sampleFrame({ seq: 2 }));
  await until(() => frames.length === 1);
  assert.deepEqual(frames, [2]);
  assert.deepEqual(
    statuses.filter(({ lane }) => lane === 'control').map(({ type }) => type),
    ['connected', 'disconnected', 'connected'],
  );
});

test('a request in flight ends when the connection breaks, and says that it may have happened', async () => {
  await using all = new AsyncDisposableStack();
  const host = all.adopt(await connectBus(nats.as({ host: 'h1' })), (bus) => bus.close({ timeoutMs: 50 }));
  const server = all.adopt(await connectBus(nats.as('server')), (bus) => bus.close({ timeoutMs: 50 }));
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  const answerNothing = (_: number, { signal }: { signal: AbortSignal }) =>
    new Promise<number>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      asked();
    });
  await host.respond(echo, to, answerNothing).ready({ timeoutMs: 1000 });
  const waiting = server.request(echo, to, 1, { timeoutMs: 20_000 });
  await isAsked;
  await nats.kill();
  assert.deepEqual(await waiting, { ok: false, reason: 'disconnected', mayHaveActed: true });
});

test('a server that is frozen does not answer a ping, though its connection looks alive', async () => {
  await using all = new AsyncDisposableStack();
  const server = all.adopt(await connectBus(nats.as('server')), (bus) => bus.close({ timeoutMs: 100 }));
  await nats.freeze();
  assert.equal(await server.ping({ timeoutMs: 200 }), false);
  // A ping without a timeout would end only when the connection is given up.
  assert.ok(server.isConnected());
  nats.thaw();
  assert.ok(await server.ping({ timeoutMs: 1000 }));
});

test('a frozen server is left within seconds, even with frames stuck on the way to it', async () => {
  await using all = new AsyncDisposableStack();
  const lost = new Set<string>();
  const onStatus = ({ type, lane }: BusStatus) => void (type === 'disconnected' && lost.add(lane));
  const host = all.adopt(await connectBus({ ...nats.as({ host: 'h1' }), onStatus }), (bus) =>
    bus.close({ timeoutMs: 100 }),
  );
  await nats.freeze();
  for (let seq = 0; seq < 20; seq += 1) host.publish(frame, to, sampleFrame({ seq, imageBytes: 1_000_000 }));
  await until(() => lost.size === 2, 8000);
  nats.thaw();
  await until(() => host.isConnected());
  assert.ok(await host.ping({ timeoutMs: 1000 }));
});

test('a process may start before its server, and waits for it', async () => {
  await nats.kill();
  // Takes the first attempts, and answers none.
  const notNats = createServer((socket) => void socket.destroy()).listen(nats.port, '127.0.0.1');
  await once(notNats, 'listening');
  const waiting = connectBus({ ...nats.as('server'), connectTimeoutMs: 10_000 });
  await once(notNats, 'connection');
  notNats.close();
  await once(notNats, 'close');
  await nats.start();
  const bus = await waiting;
  assert.ok(await bus.ping({ timeoutMs: 1000 }));
  await bus.close();
});

test('without a server the start fails at its deadline, or sooner when told to stop', async () => {
  await nats.kill();
  const isWaitError = (reason: string) => (error: unknown) => error instanceof WaitError && error.reason === reason;
  await assert.rejects(connectBus({ ...nats.as('server'), connectTimeoutMs: 250 }), isWaitError('timeout'));
  const signal = AbortSignal.timeout(100);
  await assert.rejects(connectBus({ ...nats.as('server'), signal }), isWaitError('aborted'));
});

test('a wrong password fails at once, and is not in the error', async () => {
  const wrong = { ...nats.as('server'), password: 'not-the-password' };
  await assert.rejects(connectBus(wrong), (error: Error) => {
    assert.ok(!(error instanceof WaitError), 'it is not tried again until the deadline');
    return !/not-the-password/.test(`${error.stack}`);
  });
});

test('closing ends within its time when the server is gone, and afterwards nothing throws', {
  timeout: 10_000,
}, async () => {
  const bus = await connectBus(nats.as('server'));
  await nats.kill();
  await bus.close({ timeoutMs: 300 });
  assert.equal(bus.isConnected(), false);
  assert.equal(await bus.ping({ timeoutMs: 100 }), false);
  assert.deepEqual(await bus.request(echo, to, 1, { timeoutMs: 100 }), {
    ok: false,
    reason: 'disconnected',
    mayHaveActed: false,
  });
});
