import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { errors, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { type NatsForTest, startNats } from '../testing/nats.ts';
import { until } from '../testing/wait.ts';
import { type Bus, connectBus } from './connect.ts';
import { frame } from './frames.ts';
import { heartbeat } from './heartbeat.ts';
import type { Problem } from './problem.ts';
import { report } from './reports.ts';
import { checkpoint } from './state.ts';
import { inboxPrefix, queues } from './subjects.ts';

type Who = Parameters<NatsForTest['as']>[0];

/** A client that obeys no rule of ours: only what NATS itself forbids stops it. */
interface Rogue {
  nc: NatsConnection;
  refused: string[];
}

let nats: NatsForTest;
const rogues: Rogue[] = [];
const buses: Bus[] = [];

async function rogue(who: Who): Promise<Rogue> {
  const { servers, user, password } = nats.as(who);
  const nc = await connect({ servers, user, pass: password, inboxPrefix: inboxPrefix(user) });
  const refused: string[] = [];
  (async () => {
    for await (const status of nc.status()) {
      if (status.type !== 'error' || !(status.error instanceof errors.PermissionViolationError)) continue;
      refused.push(`${status.error.operation} ${status.error.subject}`);
    }
  })();
  rogues.push({ nc, refused });
  return { nc, refused };
}

async function bus(who: Who, onProblem?: (problem: Problem) => void): Promise<Bus> {
  const made = await connectBus({ ...nats.as(who), onProblem });
  buses.push(made);
  return made;
}

before(async () => {
  nats = await startNats({ hosts: ['h1', 'h2'] });
});
after(async () => {
  await Promise.all([...rogues.map(({ nc }) => nc.close()), ...buses.map((one) => one.close())]);
  await nats?.close();
});

const closedToHosts = [
  'host.h2.heartbeat',
  'host.h2.command',
  'host.h2.session.s1.command',
  'host.h2.session.s1.frame',
  'host.h2.session.s1.checkpoint',
  'host.h2.session.s1.report',
  'host.h2.session.s1.file',
  'session.s1.event',
  'work.queued',
  'login.revoked',
  'share.revoked',
  '_IN.server.abc',
  '_IN.agent.abc',
  '_IN.host-h2.abc',
];

test('a host cannot speak on what is not its own: it is refused, and nothing arrives', async () => {
  const h1 = await rogue({ host: 'h1' });
  const heard: string[] = [];
  const hear = async (who: Who, subjects: string[], queue?: string) => {
    const { nc } = await rogue(who);
    for (const subject of subjects)
      nc.subscribe(subject, { queue, callback: (_, msg) => void heard.push(msg.subject) });
    await nc.flush();
    return nc;
  };
  const listeners = [
    await hear({ host: 'h2' }, ['host.h2.>', '_IN.host-h2.>']),
    await hear('server', [
      'host.*.session.*.frame',
      'session.*.event',
      'login.revoked',
      'share.revoked',
      '_IN.server.>',
    ]),
    await hear('agent', ['_IN.agent.>']),
  ];
  for (const subject of closedToHosts) h1.nc.publish(subject, 'x');
  h1.nc.publish('host.h1.session.s1.frame', 'mine');
  await h1.nc.flush();
  await Promise.all(listeners.map((nc) => nc.flush()));
  assert.deepEqual(h1.refused.toSorted(), closedToHosts.map((subject) => `publish ${subject}`).toSorted());
  // The listeners do listen: what the host may say is heard.
  assert.deepEqual(heard, ['host.h1.session.s1.frame']);
});

test('a host cannot listen to what is not its own, by name or by wildcard', async () => {
  const h1 = await rogue({ host: 'h1' });
  const subjects = [
    ...closedToHosts,
    '>',
    'host.>',
    'host.*.command',
    'host.*.session.*.frame',
    'session.*.event',
    '_IN.>',
    '$SYS.>',
  ];
  const heard: string[] = [];
  for (const subject of subjects)
    h1.nc.subscribe(subject, { callback: (error, msg) => void (error || heard.push(msg.subject)) });
  await h1.nc.flush();
  await until(() => h1.refused.length === subjects.length);
  assert.deepEqual(h1.refused.toSorted(), subjects.map((subject) => `subscription ${subject}`).toSorted());

  const server = await rogue('server');
  for (const subject of [
    'host.h2.command',
    'host.h2.session.s1.command',
    'session.s1.event',
    'work.queued',
    'login.revoked',
    'share.revoked',
  ]) {
    server.nc.publish(subject, 'x');
  }
  await server.nc.flush();
  await h1.nc.flush();
  assert.deepEqual(server.refused, []);
  assert.deepEqual(heard, []);
});

test('nobody can overhear commands, files, states or replies, and agents hear hosts only as a group', async () => {
  for (const [who, subjects] of [
    [
      'server',
      [
        '>',
        'host.>',
        'host.*.command',
        'host.*.session.*.command',
        'host.*.session.s1.*',
        '_IN.>',
        '_IN.agent.>',
        'host.*.heartbeat',
        'host.*.session.*.checkpoint',
        'host.*.session.*.report',
        'host.*.session.*.file',
      ],
    ],
    [
      'agent',
      [
        '>',
        'host.>',
        'host.*.command',
        'host.*.session.*.command',
        '_IN.>',
        '_IN.server.>',
        'host.*.heartbeat',
        'host.*.session.*.checkpoint',
        'host.*.session.*.report',
        'host.*.session.*.frame',
        'host.*.session.*.file',
        'session.*.event',
      ],
    ],
  ] as const) {
    const { nc, refused } = await rogue(who);
    for (const subject of subjects) nc.subscribe(subject, { callback: () => undefined });
    await nc.flush();
    await until(() => refused.length === subjects.length);
    assert.deepEqual(refused.toSorted(), subjects.map((subject) => `subscription ${subject}`).toSorted());
  }
});

test('a host cannot hand over a state or a report in the name of another', async () => {
  const problems: Problem[] = [];
  const heard: string[] = [];
  const agent = await bus('agent', (problem) => problems.push(problem));
  const keeps = agent.respond(
    checkpoint,
    {},
    ({ session_id }, { from }) => {
      heard.push(`${from.host_id} ${session_id}`);
      return { is_kept: true };
    },
    { queue: queues.checkpoint },
  );
  await keeps.ready({ timeoutMs: 1000 });
  const h1 = await bus({ host: 'h1' });
  const state = { storage: {}, pages: [] };
  const hand = (host_id: string, session_id: string, claimed = session_id) =>
    h1.request(checkpoint, { host_id, session_id }, { session_id: claimed, epoch: 1, state }, { timeoutMs: 2000 });
  assert.deepEqual(await hand('h2', 's1'), { ok: false, reason: 'forbidden', mayHaveActed: false });
  const lied = await hand('h1', 's1', 's2');
  assert.ok(!lied.ok && lied.reason === 'refused' && lied.refusal === 'bad_request');
  assert.ok((await hand('h1', 's1')).ok);
  assert.deepEqual(heard, ['h1 s1']);
  const told = { type: 'crashed', session_id: 's1', epoch: 1, what: 'browser', url: null } as const;
  const reported = await h1.request(report, { host_id: 'h2', session_id: 's1' }, told, { timeoutMs: 2000 });
  assert.deepEqual(reported, { ok: false, reason: 'forbidden', mayHaveActed: false });
});

test('without credentials there is no connection', async () => {
  await assert.rejects(connect({ servers: nats.url }), errors.AuthorizationError);
});

test('a forbidden request says so at once, and a forbidden subscription is never ready', async () => {
  const h1 = await bus({ host: 'h1' });
  const beat = { host_id: 'h2', boot_id: 'b0a1c1de-0000-4000-8000-000000000001', sessions: [], capacity: 1 };
  const result = await h1.request(heartbeat, { host_id: 'h2' }, beat, { timeoutMs: 2000 });
  assert.deepEqual(result, { ok: false, reason: 'forbidden', mayHaveActed: false });
  const eavesdropper = h1.subscribe(frame, { session_id: 's1' }, () => undefined);
  await assert.rejects(eavesdropper.ready({ timeoutMs: 1000 }), errors.PermissionViolationError);
  assert.ok(await h1.ping({ timeoutMs: 1000 }));
});

test('a host cannot make an agent speak for it by naming a foreign subject for the reply', async () => {
  const problems: Problem[] = [];
  let calls = 0;
  const agent = await bus('agent', (problem) => problems.push(problem));
  const responder = agent.respond(
    heartbeat,
    {},
    () => {
      calls += 1;
      return { lease_ms: 1 };
    },
    { queue: queues.heartbeat },
  );
  await responder.ready({ timeoutMs: 1000 });
  const victim = await rogue({ host: 'h2' });
  const heard: string[] = [];
  victim.nc.subscribe('host.h2.>', { callback: (_, msg) => void heard.push(msg.subject) });
  await victim.nc.flush();

  const h1 = await rogue({ host: 'h1' });
  const beat = JSON.stringify({
    host_id: 'h1',
    boot_id: 'b0a1c1de-0000-4000-8000-000000000001',
    sessions: [],
    capacity: 1,
  });
  for (const reply of ['host.h2.command', '_IN.host-h2.abc', '_IN.server.abc', undefined]) {
    h1.nc.publish('host.h1.heartbeat', beat, { reply });
  }
  await until(() => problems.length === 4);
  await victim.nc.flush();
  assert.equal(calls, 0);
  assert.deepEqual(heard, []);
});
