// A person takes over at random moments from a program that clicks and types without pause, and hands back, again and again on
// one connection. Nothing of the program may happen in the page between the acknowledgement and the hand-back, nothing stays
// pressed, each refusal is in words, no read gets a wrong answer, and the program goes on.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@pilothouse/sdk';
import { whenFree } from '../../testkit/cdp/when-free.ts';
import { type EventLog, listed, places, startEventLog, title } from '../../testkit/pages/event-log.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { until } from '../../testkit/until.ts';
import { type Driving, keepDriving } from './driving.ts';
import { type ProgramName, programs } from './programs.ts';
import { spreadOf } from './spread.ts';

type Options = { stack: Stack; seed: number; takeovers: number; names?: ProgramName[] };
const allNames: ProgramName[] = ['playwright', 'puppeteer', 'raw'];
const goOnMs = 15_000;
/** The page and the database read the same clock, in whole milliseconds. */
const clockMs = 1;
/** More writes in a minute than a person makes, and a browser that works for longer without a rest. */
const limits = {
  WRITE_LIMIT_PER_USER: '100000',
  INPUT_LIMIT_PER_USER: '100000',
  LOOK_LIMIT_PER_USER: '100000',
  SESSION_MAX_CPU_PERCENT: '100000',
};

export async function takeFromPrograms({ stack, seed, takeovers, names = allNames }: Options) {
  const [port, log] = await Promise.all([freePort(), startEventLog()]);
  const before = Object.keys(limits).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, limits);
  try {
    await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites: [log.url] });
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const random = createRandom(seed);
    const wrong: string[] = [];
    const met: Record<string, object> = {};
    for (const name of names) {
      const figures = await takeFrom(name, { client, log, random, takeovers });
      wrong.push(...figures.wrong.map((what) => `${name}: ${what}`));
      met[name] = { ...figures, wrong: figures.wrong.length };
      console.error(JSON.stringify({ [name]: met[name], first_wrong: figures.wrong.slice(0, 5) }));
    }
    return { wrong, programs: met };
  } finally {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    await log.close();
  }
}

type Parts = { client: Client; log: EventLog; random: Random; takeovers: number };
/** When a person drove for sure: from the acknowledgement to the moment before the hand-back. */
type Driven = { from: number; to: number };

async function takeFrom(name: ProgramName, { client, log, random, takeovers }: Parts) {
  const { session } = await client.createSession();
  const { id } = session;
  const { cdp } = await client.openProgramAccess({ id });
  const program = await programs[name](cdp.ws_url);
  const since = Date.now();
  const known = log.ready.length;
  await whenFree(() => program.goto(log.url));
  await until(() => log.ready.length > known, goOnMs);
  const driving = keepDriving(program, { list: listed, title });
  const periods: Driven[] = [];
  const wrong: string[] = [];
  const ackMs: number[] = [];
  let presses = 0;
  try {
    for (let n = 0; n < takeovers; n += 1) {
      await sleep(random.between(0, 120));
      const person = await takeOver({ client, log, random, id, driving });
      if (person.wrong) wrong.push(`takeover ${n}: ${person.wrong}`);
      periods.push(person.driven);
      ackMs.push(person.ackMs);
      presses += person.presses;
      const goesOn = await driving.untilDone(goOnMs);
      if (!goesOn) wrong.push(`takeover ${n}: it did not go on within ${goOnMs} ms`);
      if (!program.isConnected()) throw new Error(`${name}: the connection was lost at takeover ${n}`);
      if (!goesOn) break;
    }
  } finally {
    await driving.stop();
  }
  const events = await settled(log, since);
  wrong.push(...driving.wrong, ...actsWhile(events, periods), ...stillDown(events));
  const arrived = events.filter(({ type, on }) => type === 'click' && on === 'mine').length;
  if (arrived !== presses) wrong.push(`${presses} presses of the person, ${arrived} arrived`);
  await program.close();
  await client.deleteSession({ id });
  return {
    wrong,
    takeovers: periods.length,
    ...driving.counts,
    events: events.length,
    mousedown: countOf(events, 'mousedown'),
    mouseup: countOf(events, 'mouseup'),
    keydown: countOf(events, 'keydown'),
    keyup: countOf(events, 'keyup'),
    acknowledged_ms: spreadOf(ackMs),
    refused_ms: spreadOf(driving.refusedMs),
    goes_on_ms: spreadOf(driving.goesOnMs),
  };
}

type Turn = Pick<Parts, 'client' | 'log' | 'random'> & { id: string; driving: Driving };

/** One takeover: now and then the person presses their button, or loads the page again. */
async function takeOver({ client, log, random, id, driving }: Turn) {
  const begun = performance.now();
  const { takeover: requested } = await client.requestSessionTakeover({ id });
  const takeover = requested.status === 'active' ? requested : await activated(client, id);
  const ackMs = performance.now() - begun;
  const from = takeover.activated_at === null ? Number.NaN : Date.parse(takeover.activated_at);
  let seq = 0;
  const input = (action: { action: 'click'; x: number; y: number } | { action: 'navigate'; url: string }) =>
    client.movePointer({ id, ...action, takeover_id: takeover.takeover_id, input_seq: ++seq });
  let presses = 0;
  let isRefused = true;
  if (!Number.isNaN(from)) {
    driving.noteTaken();
    if (random.is(0.3)) {
      await input({ action: 'click', ...places.mine });
      presses += 1;
    }
    if (random.is(0.1)) {
      const known = log.ready.length;
      await input({ action: 'navigate', url: log.url });
      // They see the page before they hand it back.
      await until(() => log.ready.length > known, goOnMs);
    }
    await sleep(random.between(5, 80));
    isRefused = await driving.untilRefused(goOnMs);
  }
  const to = Date.now();
  driving.noteReturned();
  await client.resumeSessionTakeover({ id });
  const wrong = Number.isNaN(from) ? `it is ${takeover.status}` : isRefused ? undefined : 'no act was refused';
  return { driven: { from, to }, ackMs, presses, wrong };
}

/** Where a page does not stop in time, an agent takes over a moment later. */
async function activated(client: Client, id: string) {
  const standing = async () => (await client.getSession({ id })).snapshot.takeover;
  await until(async () => (await standing())?.status === 'active', goOnMs);
  const takeover = await standing();
  if (!takeover) throw new Error('the takeover is gone');
  return takeover;
}

/** The acts of programs that a page got while a person drove. */
function actsWhile(events: EventLog['events'], periods: Driven[]): string[] {
  const ofProgram = events.filter(({ on, type }) => !(on === 'mine' && /mouse|click/.test(type)));
  return periods.flatMap(({ from, to }) =>
    ofProgram
      .filter(({ at }) => at > from + clockMs && at < to)
      .map(({ type, on, at }) => `${type} on "${on}" ${at - from} ms after the acknowledgement`),
  );
}

const countOf = (events: EventLog['events'], wanted: string) => events.filter(({ type }) => type === wanted).length;

function stillDown(events: EventLog['events']): string[] {
  const pairs = [
    ['mousedown', 'mouseup'],
    ['keydown', 'keyup'],
  ] as const;
  return pairs.flatMap(([down, up]) =>
    countOf(events, down) === countOf(events, up)
      ? []
      : `${countOf(events, down)} ${down}, ${countOf(events, up)} ${up}`,
  );
}

/** What the page has told when it tells no more. */
async function settled(log: EventLog, since: number): Promise<EventLog['events']> {
  let before = -1;
  while (before !== log.events.length) {
    before = log.events.length;
    await sleep(400);
  }
  return log.events.filter(({ at }) => at >= since);
}
