import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { type NatsForTest, startNats } from '../../testing/nats.ts';
import { until } from '../../testing/wait.ts';
import { taskChanged, workQueued } from '../messages/wake-ups.ts';
import { type Bus, connectBus } from '../transport/connect.ts';
import type { BusStatus } from '../transport/link.ts';
import { json } from '../wire/codec.ts';
import { defineRequest } from '../wire/define.ts';
import { askersOf, queues, subjects } from '../wire/subjects.ts';

const echo = defineRequest({
  name: 'echo',
  subject: subjects.hostCommand,
  askers: askersOf(subjects.hostCommand),
  request: json(z.number()),
  reply: json(z.number()),
});

let nats: NatsForTest;
before(async () => {
  nats = await startNats({ hosts: ['h1'] });
});
after(() => nats?.close());

/** NATS reads its file a moment after it is told to. */
async function connectSoon(who: Parameters<NatsForTest['as']>[0]): Promise<Bus> {
  const opened: Bus[] = [];
  await until(async () => {
    await connectBus(nats.as(who)).then(
      (bus) => opened.push(bus),
      () => {},
    );
    return opened.length > 0;
  }, 5000);
  const [bus] = opened;
  assert.ok(bus);
  return bus;
}

test('a host is added and removed while the bus runs, and other members are not affected', async () => {
  await using all = new AsyncDisposableStack();
  const close = (bus: Bus) => bus.close({ timeoutMs: 200 });
  const seen: Record<string, BusStatus['type'][]> = { server: [], h1: [], h2: [] };
  const onStatus = (who: string) => ({ onStatus: ({ type }: BusStatus) => void seen[who]?.push(type) });
  const server = all.adopt(await connectBus({ ...nats.as('server'), ...onStatus('server') }), close);
  const h1 = all.adopt(await connectBus({ ...nats.as({ host: 'h1' }), ...onStatus('h1') }), close);
  await h1.respond(echo, { host_id: 'h1' }, (n) => n + 1).ready({ timeoutMs: 1000 });
  const ask = (host_id: string) => server.request(echo, { host_id }, 1, { timeoutMs: 1000 });

  nats.admit({ host: 'h2' });
  all.adopt(await connectSoon({ host: 'h2' }), close);
  const h2 = all.adopt(await connectBus({ ...nats.as({ host: 'h2' }), ...onStatus('h2') }), close);
  await h2.respond(echo, { host_id: 'h2' }, (n) => n + 2).ready({ timeoutMs: 1000 });
  assert.deepEqual(await ask('h2'), { ok: true, reply: 3 });
  assert.deepEqual(await ask('h1'), { ok: true, reply: 2 });

  const former = nats.as({ host: 'h2' });
  nats.remove({ host: 'h2' });
  await until(() => !h2.isConnected());
  assert.deepEqual(await ask('h2'), { ok: false, reason: 'no_responders', mayHaveActed: false });
  await assert.rejects(connectBus(former), /authori[sz]ation/i);
  await until(() => seen.h2?.includes('credentials_refused') ?? false);
  assert.equal(h2.isConnected(), false, 'it tries, and does not come back');

  nats.admit({ host: 'h2' });
  await (await connectSoon({ host: 'h2' })).close();
  await assert.rejects(connectBus(former), /authori[sz]ation/i, 'its former password stays worthless');

  assert.deepEqual(await ask('h1'), { ok: true, reply: 2 });
  const unbroken = ['connected', 'connected'];
  assert.deepEqual([seen.server, seen.h1], [unbroken, unbroken], 'neither of their two connections broke');
});

test('servers and agents come and go the same way, each with replies of its own', async () => {
  await using all = new AsyncDisposableStack();
  const close = (bus: Bus) => bus.close({ timeoutMs: 200 });
  const h1 = all.adopt(await connectBus(nats.as({ host: 'h1' })), close);
  await h1.respond(echo, { host_id: 'h1' }, (n) => n + 1).ready({ timeoutMs: 1000 });
  for (const who of [{ server: 'two' }, { agent: 'two' }]) {
    nats.admit(who);
    const bus = all.adopt(await connectSoon(who), close);
    assert.deepEqual(await bus.request(echo, { host_id: 'h1' }, 1, { timeoutMs: 1000 }), { ok: true, reply: 2 });
    nats.remove(who);
    await until(() => !bus.isConnected());
  }
});

test('processes of a kind under one user get the replies to their own questions, and share work as others do', async () => {
  await using all = new AsyncDisposableStack();
  const close = (bus: Bus) => bus.close({ timeoutMs: 200 });
  const twice = async (who: 'server' | 'agent') => {
    const buses = [await connectBus(nats.as(who)), await connectBus(nats.as(who))];
    for (const bus of buses) all.adopt(bus, close);
    return buses;
  };
  const [servers, agents] = [await twice('server'), await twice('agent')];
  const h1 = all.adopt(await connectBus(nats.as({ host: 'h1' })), close);
  await h1.respond(echo, { host_id: 'h1' }, (n) => n + 1).ready({ timeoutMs: 1000 });

  const asked = servers.flatMap((server, who) =>
    Array.from({ length: 50 }, async (_, n) => {
      const question = who * 1000 + n;
      const answer = await server.request(echo, { host_id: 'h1' }, question, { timeoutMs: 2000 });
      assert.deepEqual(answer, { ok: true, reply: question + 1 });
    }),
  );
  await Promise.all(asked);

  const taken = agents.map(() => 0);
  const told = agents.map(() => 0);
  for (const [which, agent] of agents.entries()) {
    const count = (counts: number[]) => () => {
      counts[which] = (counts[which] ?? 0) + 1;
    };
    await agent.subscribe(workQueued, {}, count(taken), { queue: queues.work }).ready({ timeoutMs: 1000 });
    await agent.subscribe(taskChanged, {}, count(told)).ready({ timeoutMs: 1000 });
  }
  for (let n = 0; n < 50; n += 1) servers[n % 2]?.publish(workQueued, {}, {});
  servers[0]?.publish(taskChanged, {}, { session_id: 's1' });
  await until(() => taken.reduce((sum, one) => sum + one, 0) === 50 && told.every((one) => one === 1), 5000);
  assert.ok(
    taken.every((count) => count > 0),
    `${taken}`,
  );
});
