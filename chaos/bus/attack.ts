// Somebody who has the credentials of one process and obeys no rule of ours tries every subject of the table, in every way
// that NATS knows. Only what the table grants arrives.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Bus,
  checkpoint,
  connectBus,
  fileCommand,
  heartbeat,
  hostCommand,
  inboxPrefix,
  type Member,
  permissionsOf,
  queues,
  report,
  roles,
  type Spoken,
  sessionCommand,
  userOf,
} from '@pilothouse/bus';
import { type NatsForTest, startNats, type Who } from '@pilothouse/bus/testing';
import { openRawBus, type RawBus, type RawMessage } from '../attacks/raw-bus.ts';
import { mayHear, maySpeak, type Target, targetsOf } from './rogue.ts';

const members: Member[] = [
  ...['1', '2'].flatMap((id): Member[] => [
    { role: 'server', id },
    { role: 'agent', id },
  ]),
  { role: 'host', id: 'a' },
  { role: 'host', id: 'b' },
];
const whoOf = ({ role, id }: Member): Who =>
  role === 'host' ? { host: id } : role === 'server' ? { server: id } : { agent: id };
const broad = [
  '>',
  '*',
  '*.>',
  'host.>',
  'host.*.>',
  'host.*.command',
  'host.*.session.*.*',
  '_IN.>',
  '_IN.*.>',
  '$SYS.>',
];
const settleMs = 5000;

type Closers = (() => unknown)[];
type Ground = { nats: NatsForTest; targets: Target[]; figures: Figures; closers: Closers };
type Figures = { tried: number; granted: number; wrong: string[]; lost: string[] };
type Heard = { subject: string; text: string };

/** Each of six processes in turn is the rogue. `granted`: how often it was right that a message came through. */
export async function attackBus({ sessions }: { sessions: number }): Promise<Figures> {
  const ids = (role: Member['role']) => members.filter((one) => one.role === role).map(({ id }) => id);
  const nats = await startNats({ servers: ids('server'), agents: ids('agent'), hosts: ids('host') });
  const names = Array.from({ length: sessions }, (_, i) => `s${i + 1}`);
  const figures: Figures = { tried: 0, granted: 0, wrong: [], lost: [] };
  const ground = { nats, targets: targetsOf(members, names), figures };
  try {
    for (const member of members) {
      for (const attack of [speakEverywhere, hearEverything, forgeInboxes]) {
        const closers: Closers = [];
        await attack({ ...ground, closers }, member).finally(() => Promise.all(closers.map((close) => close())));
      }
    }
    return figures;
  } finally {
    await nats.close();
  }
}

/** By plain publishing, and by sending itself messages whose reply is the subject that it wants to speak on. */
async function speakEverywhere({ nats, targets, figures, closers }: Ground, member: Member): Promise<void> {
  const heard: Heard[] = [];
  const witnesses = await listenAsEverybody(nats, closers, heard);
  const rogue = await openAs(nats, member, closers);
  const user = userOf(member);
  const mirrors = [...new Set([...targets.map(({ subject }) => subject), `${inboxPrefix(user)}.x`, ...broad])];
  for (const subject of mirrors)
    for (const queue of [undefined, ...Object.values(queues)])
      rogue.subscribe(subject, (message) => void heard.push(heardOf(message)), queue);
  await rogue.flush();
  const say = (subject: string, way: string, reply?: string) => {
    figures.tried += 1;
    rogue.publish(subject, `${user} ${way}`, reply);
  };

  for (const { subject } of targets) say(subject, 'plain');
  for (const subject of broad) say(subject, 'wildcard');
  await rogue.flush();
  for (const mirror of mirrors) {
    for (const { subject } of targets) say(mirror, 'mirror', subject);
    await rogue.flush();
    for (const { subject } of targets) say(subject, `after ${mirror}`);
    await rogue.flush();
  }
  await settle([rogue, ...witnesses]);

  const isGranted = (subject: string) =>
    targets.some((target) => target.subject === subject && maySpeak(member, target));
  for (const { subject, text } of heard) {
    if (isGranted(subject)) figures.granted += 1;
    else figures.wrong.push(`${text}: ${subject}`);
  }
  const plain = new Set(heard.filter(({ text }) => text === `${user} plain`).map(({ subject }) => subject));
  for (const target of targets)
    if (maySpeak(member, target) && !plain.has(target.subject)) figures.lost.push(`${user} plain: ${target.subject}`);
}

/** By name, by wildcard, and as a member of every queue group. */
async function hearEverything({ nats, targets, figures, closers }: Ground, member: Member): Promise<void> {
  const user = userOf(member);
  const rogue = await openAs(nats, member, closers);
  const heard: (Heard & { queue: string | undefined; pattern: string })[] = [];
  const patterns = new Set([
    ...targets.map(({ subject }) => subject),
    ...targets.flatMap(({ spoken }) => (spoken ? [spoken.pattern({})] : [])),
    ...members.map((one) => `${inboxPrefix(userOf(one))}.>`),
    ...broad,
  ]);
  for (const pattern of patterns) {
    for (const queue of [undefined, ...Object.values(queues), 'mine']) {
      figures.tried += 1;
      rogue.subscribe(pattern, (message) => void heard.push({ ...heardOf(message), queue, pattern }), queue);
    }
  }
  await rogue.flush();
  await speakAsEverybody(nats, closers, targets);
  await settle([rogue]);

  const isGranted = ({ subject, queue }: (typeof heard)[number]) =>
    subject.startsWith(`${inboxPrefix(user)}.`) ||
    targets.some((target) => target.subject === subject && mayHear(member, target, queue));
  for (const one of heard) {
    if (isGranted(one)) figures.granted += 1;
    else figures.wrong.push(`${user} heard ${one.subject} by ${one.pattern} ${one.queue ?? ''}`);
  }
  const subjectsHeard = new Set(heard.map(({ subject }) => subject));
  for (const target of targets) {
    const hearers: Spoken['hearers'] = target.spoken?.hearers ?? {};
    const queue = hearers[member.role];
    const isOwed = mayHear(member, target, queue === 'all' ? undefined : queue);
    if (isOwed && !subjectsHeard.has(target.subject)) figures.lost.push(`${user} does not hear ${target.subject}`);
  }
}

/** By asking honest processes, with the inbox or the subject of another member for the answer. */
async function forgeInboxes({ nats, targets, figures, closers }: Ground, member: Member): Promise<void> {
  const heard: Heard[] = [];
  const witnesses = await listenAsEverybody(nats, closers, heard);
  const buses = await answerHonestly(nats, closers);
  const rogue = await openAs(nats, member, closers);
  for (const target of targets) {
    if (!target.spoken?.isAnswered || !maySpeak(member, target)) continue;
    for (const { subject: reply } of targets) {
      figures.tried += 1;
      rogue.publish(target.subject, bodyFor(target), reply);
    }
  }
  for (let turn = 0; turn < 3; turn += 1) {
    await settle([rogue, ...witnesses]);
    await Promise.all(buses.map((bus) => bus.ping({ timeoutMs: settleMs })));
    await sleep(30);
  }
  // Hosts answer servers and agents, and agents answer the host that asked: what comes there is what the table grants.
  const mayAsk = ({ subject }: Heard) =>
    member.role === 'host'
      ? subject.startsWith(`${inboxPrefix(userOf(member))}.`)
      : roles.some((role) => role !== 'host' && subject.startsWith(`_IN.${role}-`));
  for (const one of heard) {
    if (one.text.includes(mark)) continue;
    if (mayAsk(one)) figures.granted += 1;
    else figures.wrong.push(`${userOf(member)} made a process answer at ${one.subject}`);
  }
}

/** One listener for each process, on all that it may hear. */
async function listenAsEverybody(nats: NatsForTest, closers: Closers, heard: Heard[]): Promise<RawBus[]> {
  const listeners: RawBus[] = [];
  for (const member of members) {
    const bus = await openAs(nats, member, closers);
    for (const line of permissionsOf(member).subscribe) {
      const [subject = '', queue] = line.split(' ');
      bus.subscribe(subject, (message) => void heard.push(heardOf(message)), queue);
    }
    await bus.flush();
    listeners.push(bus);
  }
  return listeners;
}

/** Every process says once what it may say, and asks those who answer. */
async function speakAsEverybody(nats: NatsForTest, closers: Closers, targets: Target[]): Promise<void> {
  for (const member of members) {
    const bus = await openAs(nats, member, closers);
    for (const target of targets) if (maySpeak(member, target)) bus.publish(target.subject, `${userOf(member)} honest`);
    await bus.flush();
  }
  await answerHonestly(nats, closers);
  const [server, agent] = [
    await connectAs(nats, { server: '2' }, closers),
    await connectAs(nats, { agent: '2' }, closers),
  ];
  for (const host_id of ['a', 'b'])
    for (const asker of [server, agent])
      await asker.request(hostCommand, { host_id }, { type: 'status' }, { timeoutMs: settleMs });
}

/** Hosts and an agent as we build them, who answer what they are asked. */
async function answerHonestly(nats: NatsForTest, closers: Closers): Promise<Bus[]> {
  const agent = await connectAs(nats, { agent: '2' }, closers);
  const hosts = [await connectAs(nats, { host: 'a' }, closers), await connectAs(nats, { host: 'b' }, closers)];
  const failed = { ok: false, failure: 'no_session', message: 'none', has_touched: false } as const;
  const ready = { timeoutMs: settleMs };
  await Promise.all([
    agent.respond(heartbeat, {}, () => ({ lease_ms: 1000 }), { queue: queues.heartbeat }).ready(ready),
    agent.respond(checkpoint, {}, () => ({ is_kept: false }), { queue: queues.checkpoint }).ready(ready),
    agent.respond(report, {}, () => ({}), { queue: queues.report }).ready(ready),
    ...['a', 'b'].flatMap((host_id, i) => {
      const host = hosts[i];
      if (!host) return [];
      const to = { host_id, session_id: 's1' };
      const packed = { head: failed, body: new Uint8Array() };
      return [
        host.respond(hostCommand, { host_id }, () => failed).ready(ready),
        host.respond(sessionCommand, to, () => packed).ready(ready),
        host.respond(fileCommand, to, () => packed).ready(ready),
      ];
    }),
  ]);
  return [agent, ...hosts];
}

/** In what the rogue asks, to tell it from what it is answered. */
const mark = '"rogue":true';

/** What an honest asker would send there, so that the check of the inbox is what refuses it. */
function bodyFor({ subject, hostId = '' }: Target): string {
  const session_id = subject.split('.')[3] ?? '';
  const asked = () => {
    if (subject.endsWith('.heartbeat')) return { host_id: hostId, boot_id: randomUUID(), sessions: [], capacity: 1 };
    if (subject.endsWith('.checkpoint')) return { session_id, epoch: 1, state: { storage: {}, pages: [] } };
    if (subject.endsWith('.report')) return { type: 'crashed', session_id, epoch: 1, what: 'browser', url: null };
    return session_id ? { type: 'look' } : { type: 'status' };
  };
  return JSON.stringify({ ...asked(), rogue: true });
}

async function openAs(nats: NatsForTest, member: Member, closers: Closers): Promise<RawBus> {
  const bus = await openRawBus({ url: nats.url, ...nats.as(whoOf(member)) });
  closers.push(bus.close);
  return bus;
}

async function connectAs(nats: NatsForTest, who: Who, closers: Closers): Promise<Bus> {
  const bus = await connectBus(nats.as(who));
  closers.push(() => bus.close({ timeoutMs: 200 }));
  return bus;
}

const heardOf = ({ subject, body }: RawMessage): Heard => ({ subject, text: body.toString() });

/** What was sent before this has arrived, or never will. */
async function settle(buses: RawBus[]): Promise<void> {
  for (const bus of buses) await bus.flush();
}
