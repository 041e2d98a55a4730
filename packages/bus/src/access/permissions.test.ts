import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { errors, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { type NatsForTest, startNats, type Who } from '../../testing/nats.ts';
import { until } from '../../testing/wait.ts';
import { frame } from '../messages/frames.ts';
import { heartbeat } from '../messages/heartbeat.ts';
import { report } from '../messages/reports.ts';
import { checkpoint } from '../messages/saved-state.ts';
import { type Bus, connectBus } from '../transport/connect.ts';
import type { Problem } from '../wire/problem.ts';
import { subjectsMeet } from '../wire/subject.ts';
import { inboxPrefix, isInboxOf, queues, roles, userOf } from '../wire/subjects.ts';
import { overlapsOf, permissionsOf } from './permissions.ts';

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
  nats = await startNats({ servers: ['1', '2'], agents: ['1', '2'], hosts: ['h1', 'h2'] });
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
  'task.changed',
  'browser.silent',
  'plan.wanted',
  'login.revoked',
  'share.revoked',
  '_IN.server-1.abc',
  '_IN.agent-1.abc',
  '_IN.host-h2.abc',
];

test('a host cannot publish on subjects of others: it is refused, and nothing arrives', async () => {
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
    await hear({ host: 'h2' }, [
      'host.h2.command',
      'host.h2.session.*.command',
      'host.h2.session.*.file',
      '_IN.host-h2.>',
    ]),
    await hear('server', [
      'host.*.session.*.frame',
      'session.*.event',
      'login.revoked',
      'share.revoked',
      '_IN.server-1.>',
    ]),
    await hear('agent', ['task.changed', '_IN.agent-1.>']),
  ];
  for (const subject of closedToHosts) h1.nc.publish(subject, 'x');
  h1.nc.publish('host.h1.session.s1.frame', 'mine');
  await h1.nc.flush();
  await Promise.all(listeners.map((nc) => nc.flush()));
  assert.deepEqual(h1.refused.toSorted(), closedToHosts.map((subject) => `publish ${subject}`).toSorted());
  // The listeners do listen: what the host may say is heard.
  assert.deepEqual(heard, ['host.h1.session.s1.frame']);
});

test('a host cannot subscribe to subjects of others, by name or by wildcard', async () => {
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
    'task.changed',
    'browser.silent',
    'plan.wanted',
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

test('no member can overhear commands, files, states or replies, and agents receive messages of hosts only as a group', async () => {
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
        '_IN.agent-1.>',
        'host.*.heartbeat',
        'host.*.session.*.checkpoint',
        'host.*.session.*.report',
        'host.*.session.*.file',
        'plan.wanted',
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
        '_IN.server-1.>',
        'host.*.heartbeat',
        'host.*.session.*.checkpoint',
        'host.*.session.*.report',
        'host.*.session.*.frame',
        'host.*.session.*.file',
        'session.*.event',
        'plan.wanted',
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
  for (const subject of ['host.h2.command', '_IN.host-h2.>'])
    victim.nc.subscribe(subject, { callback: (_, msg) => void heard.push(msg.subject) });
  await victim.nc.flush();

  const h1 = await rogue({ host: 'h1' });
  const beat = JSON.stringify({
    host_id: 'h1',
    boot_id: 'b0a1c1de-0000-4000-8000-000000000001',
    sessions: [],
    capacity: 1,
  });
  for (const reply of ['host.h2.command', '_IN.host-h2.abc', '_IN.server-1.abc', undefined]) {
    h1.nc.publish('host.h1.heartbeat', beat, { reply });
  }
  await until(() => problems.length === 4);
  await victim.nc.flush();
  assert.equal(calls, 0);
  assert.deepEqual(heard, []);
});

test('a host gains nothing by sending itself a message that names a foreign subject for the reply', async () => {
  const heard: string[] = [];
  const hear = async (who: Who, subjects: string[]) => {
    const { nc } = await rogue(who);
    for (const subject of subjects) nc.subscribe(subject, { callback: (_, msg) => void heard.push(msg.string()) });
    await nc.flush();
    return nc;
  };
  const listeners = [
    await hear({ host: 'h2' }, ['host.h2.command', 'host.h2.session.s1.command', 'host.h2.session.s1.file']),
    await hear('server', ['host.*.session.*.frame', 'session.*.event', 'login.revoked', 'share.revoked']),
  ];
  const h1 = await rogue({ host: 'h1' });
  const own = ['command', 'heartbeat', 'session.s1.command', 'session.s1.file', 'session.s1.report', 'anything'];
  const mirrors = [...own.map((rest) => `host.h1.${rest}`), `${inboxPrefix('host-h1')}.x`];
  for (const mirror of mirrors) h1.nc.subscribe(mirror, { callback: () => undefined });
  await h1.nc.flush();
  for (const mirror of mirrors) {
    for (const subject of closedToHosts) h1.nc.publish(mirror, 'x', { reply: subject });
    await h1.nc.flush();
    for (const subject of closedToHosts) h1.nc.publish(subject, `forged ${subject}`);
    await h1.nc.flush();
  }
  // What it may say is still heard.
  h1.nc.publish('host.h1.session.s1.frame', 'mine');
  await h1.nc.flush();
  await Promise.all(listeners.map((nc) => nc.flush()));
  assert.deepEqual(heard, ['mine']);
});

const everybody = roles.flatMap((role) => ['1', '2', 'server-1', 'host-1'].map((id) => ({ role, id })));

test('a member that answers may publish on no subject that it also receives, its inbox included', () => {
  for (const member of everybody) {
    const { user, answers, ...lists } = permissionsOf(member);
    if (answers) assert.deepEqual(overlapsOf(lists), [], user);
    assert.ok(lists.subscribe.includes(`${inboxPrefix(user)}.>`));
    assert.ok(!lists.publish.some((said) => subjectsMeet(said, '_IN.>')), `${user} may write into no inbox`);
  }
  // Servers say and hear events and revocations, and answer nobody.
  assert.equal(permissionsOf({ role: 'server', id: '1' }).answers, false);
  assert.deepEqual(
    overlapsOf({ publish: ['host.h1.>'], subscribe: ['host.*.session.*.command queue'] }),
    ['host.h1.>'],
    'by what the patterns cover, and not by how they are spelled',
  );
});

test('a host may say five things and hear five, beside its inbox', () => {
  assert.deepEqual(permissionsOf({ role: 'host', id: 'h1' }), {
    user: 'host-h1',
    publish: [
      'host.h1.heartbeat',
      'host.h1.session.*.program.*.out',
      'host.h1.session.*.frame',
      'host.h1.session.*.checkpoint',
      'host.h1.session.*.report',
    ],
    subscribe: [
      'host.h1.command',
      'host.h1.session.*.command',
      'host.h1.session.*.file',
      'host.h1.session.*.program',
      'host.h1.session.*.program.*.in',
      '_IN.host-h1.>',
    ],
    noSubscribe: [],
    answers: true,
  });
});

test('no member receives messages for another member, of the same role or with a similar name', () => {
  for (const one of everybody) {
    for (const other of everybody) {
      if (userOf(one) === userOf(other)) continue;
      const heard = permissionsOf(one).subscribe.map((line) => line.split(' ')[0] ?? '');
      assert.ok(!heard.some((subject) => subjectsMeet(subject, `${inboxPrefix(userOf(other))}.>`)));
      if (one.role === 'host' && other.role === 'host') {
        const { publish, subscribe } = permissionsOf(other);
        assert.ok(!heard.some((subject) => [...publish, ...subscribe].some((said) => subjectsMeet(said, subject))));
      }
    }
  }
});

test('a server reads no replies of another, and does not take frames from the group that records', async () => {
  const one = await rogue({ server: '1' });
  for (const subject of ['_IN.server-2.>', '_IN.*.>', '_IN.server-2.abc'])
    one.nc.subscribe(subject, { callback: () => undefined });
  one.nc.subscribe('host.*.session.*.frame', { queue: queues.frame, callback: () => undefined });
  one.nc.subscribe('host.h1.session.s1.frame', { queue: queues.frame, callback: () => undefined });
  await one.nc.flush();
  await until(() => one.refused.length === 5);
  const plain: string[] = [];
  one.nc.subscribe('host.*.session.*.frame', { callback: (_, msg) => void plain.push(msg.string()) });
  await one.nc.flush();
  const h1 = await rogue({ host: 'h1' });
  h1.nc.publish('host.h1.session.s1.frame', 'a frame');
  await h1.nc.flush();
  await until(() => plain.length === 1);
});

test('a reply goes to an inbox of the asker and nowhere else, however the inbox is spelled', () => {
  const askers = [
    { inbox: '_IN.server-1.a.b', from: ['server'] },
    { inbox: '_IN.agent-x.a', from: ['agent'] },
    { inbox: '_IN.host-h1.a', from: ['host'] },
    { inbox: '_IN.host-h2.a', from: [] },
    { inbox: '_IN.server-1', from: [] },
    { inbox: '_IN.server.a', from: [] },
    { inbox: '_IN.server-1.*', from: [] },
    { inbox: '_IN.server-1.>', from: [] },
    { inbox: '_IN.server-1.', from: [] },
    { inbox: 'host.h2.command', from: [] },
    { inbox: '', from: [] },
  ];
  for (const { inbox, from } of askers) {
    const accepted = [
      ...(isInboxOf(['server'], inbox) ? ['server'] : []),
      ...(isInboxOf(['agent'], inbox) ? ['agent'] : []),
      ...(isInboxOf([{ host: 'h1' }], inbox) ? ['host'] : []),
    ];
    assert.deepEqual(accepted, from, inbox);
  }
  assert.equal(isInboxOf(['server', 'agent'], undefined), false);
});
