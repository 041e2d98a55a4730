// A person takes over at random moments from a program that clicks and types without pause, and hands back, again and again on
// one connection. Nothing of the program may happen in the page between the acknowledgement and the hand-back, nothing stays
// pressed, each refusal is in words, no read gets a wrong answer, and the program goes on. Where Chromium crashes the page, the
// program goes on in another one; where all of Chromium falls over it, the program connects again. How often is counted, and what
// the crashed document had not told is not missed.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@pilothouse/sdk';
import { rendererPids } from '../../apps/browser/testing/processes.ts';
import { whenFree } from '../../testkit/cdp/when-free.ts';
import { type EventLog, listed, places, startEventLog, title } from '../../testkit/pages/event-log.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { until } from '../../testkit/until.ts';
import { type Driving, keepDriving, type Met } from './driving.ts';
import { type Program, type ProgramName, programs } from './programs.ts';
import { spreadOf } from './spread.ts';

type Options = {
  stack: Stack;
  seed: number;
  takeovers: number;
  /** How often the process of the page is killed as a person takes over. Now and then this Chromium falls over such a kill itself. */
  crashes: number;
  names?: ProgramName[];
};
export const programNames: ProgramName[] = ['playwright', 'puppeteer', 'raw'];
const goOnMs = 15_000;
const pauseMs = 20;
const hearMs = 2000;
/** The page and the database read the same clock, in whole milliseconds. */
const clockMs = 1;
/** Of takeovers. A program that is stopped again and again now and then runs into a check of Chromium's renderer, which ends it. */
const mostCrashes = 0.01;
/** More writes in a minute than a person makes, and a browser that works for longer without a rest. */
const limits = {
  WRITE_LIMIT_PER_USER: '100000',
  INPUT_LIMIT_PER_USER: '100000',
  LOOK_LIMIT_PER_USER: '100000',
  SESSION_MAX_CPU_PERCENT: '100000',
  // Only browsers that programs drive are there to be crashed.
  HOST_WARM: '0',
};

export async function takeFromPrograms({ stack, seed, takeovers, crashes, names = programNames }: Options) {
  const [port, log] = await Promise.all([freePort(), startEventLog()]);
  const before = Object.keys(limits).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, limits);
  try {
    await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites: [log.url] });
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const random = createRandom(seed);
    const wrong: string[] = [];
    const met: Record<string, object> = {};
    const { pid } = stack.status().processes['browser-1'] ?? {};
    const crash = async () => {
      for (const one of await rendererPids(`pilothouse-browser-browser-1-${pid}/`)) process.kill(one, 'SIGKILL');
    };
    for (const name of names) {
      const figures = await takeFrom(name, { client, log, random, takeovers, crashes, crash });
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

type Parts = {
  client: Client;
  log: EventLog;
  random: Random;
  takeovers: number;
  crashes: number;
  crash: () => Promise<void>;
};
/** When a person drove for sure: from the acknowledgement to the moment before the hand-back. */
type Driven = { from: number; to: number };

async function takeFrom(name: ProgramName, { client, log, random, takeovers, crashes: killed, crash }: Parts) {
  const { session } = await client.createSession();
  const { id } = session;
  const connect = async () => programs[name]((await client.openProgramAccess({ id })).cdp.ws_url);
  let program = await connect();
  const met: Met = { counts: { acts: 0, reads: 0, refused: 0 }, wrong: [], goneBy: [], refusedMs: [], goesOnMs: [] };
  const since = Date.now();
  const before = log.ready.length;
  let driving = await beginWork(program, log, met);
  let crashes = 0;
  let browsersLost = 0;
  const turns: Turn[] = [];
  try {
    for (let n = 0; n < takeovers; n += 1) {
      await sleep(random.between(0, 120));
      const known = log.ready.length;
      if (killed > 0 && n % Math.ceil(takeovers / killed) === 1) await crash();
      const turn = await takeOver({ client, log, random, id, driving });
      turns.push(turn);
      if (turn.wrong) met.wrong.push(`takeover ${n}: ${turn.wrong}`);
      const goesOn = await driving.untilDone(goOnMs);
      if (!program.isConnected()) {
        browsersLost += 1;
        await driving.stop();
        program = await untilDone(connect);
        driving = await beginWork(program, log, met);
      } else if (driving.isGone()) {
        crashes += 1;
        await driving.stop();
        // The next driver loads the page again. A program that did it before would lose that one too.
        await until(() => log.ready.length > known, goOnMs);
        driving = await beginWork(program, log, met);
      } else if (!goesOn) {
        met.wrong.push(`takeover ${n}: it did not go on within ${goOnMs} ms`);
        break;
      }
    }
  } finally {
    await driving.stop();
  }
  const events = await settled(log, since);
  await program.close();
  await client.deleteSession({ id });
  const crashed = crashedOf(log, before);
  // Where a browser is lost, its page may have crashed just before.
  const unexplained = crashed.size - crashes - browsersLost;
  if (unexplained < 0 || unexplained > browsersLost)
    met.wrong.push(
      `${crashed.size} documents were not left, the page was gone ${crashes} times: ${met.goneBy.join('; ')}`,
    );
  if (crashes + browsersLost > killed + Math.max(1, takeovers * mostCrashes))
    met.wrong.push(`the page crashed ${crashes} times, and the browser ${browsersLost} times`);
  return { ...figuresOf({ events, turns, crashed, met }), crashes, browsersLost, killed };
}

/** The program works on the page that the session has. After a crash the one that is gone may still be there for a moment. */
async function beginWork(program: Program, log: EventLog, met: Met): Promise<Driving> {
  const known = log.ready.length;
  await untilDone(async () => {
    await program.findPage();
    await whenFree(() => program.goto(log.url));
  });
  await until(() => log.ready.length > known, goOnMs);
  return keepDriving(program, { list: listed, title }, met);
}

async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + goOnMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(pauseMs);
    }
  }
}

type Seen = { events: EventLog['events']; turns: Turn[]; crashed: Set<string>; met: Met };

/** What a crashed document had not told yet is not missed. */
function figuresOf({ events, turns, crashed, met }: Seen) {
  const whole = events.filter(({ document }) => !crashed.has(document));
  const driven = turns.map((turn) => turn.driven);
  const wrong = [...met.wrong, ...actsWhile(events, driven), ...stillDown(whole)];
  const unsure = turns.filter(({ pressed }) => !pressed).map((turn) => turn.driven);
  const presses = turns.flatMap(({ pressed }) => pressed ?? []).filter((document) => !crashed.has(document)).length;
  const arrived = whole.filter(
    ({ type, on, at }) => type === 'click' && on === 'mine' && !unsure.some(({ from, to }) => at >= from && at <= to),
  ).length;
  if (arrived !== presses) wrong.push(`${presses} presses of the person, ${arrived} arrived`);
  return {
    wrong,
    takeovers: turns.length,
    ...met.counts,
    events: whole.length,
    mousedown: countOf(whole, 'mousedown'),
    mouseup: countOf(whole, 'mouseup'),
    keydown: countOf(whole, 'keydown'),
    keyup: countOf(whole, 'keyup'),
    acknowledged_ms: spreadOf(turns.map(({ ackMs }) => ackMs)),
    refused_ms: spreadOf(met.refusedMs),
    goes_on_ms: spreadOf(met.goesOnMs),
  };
}

type TurnParts = Pick<Parts, 'client' | 'log' | 'random'> & { id: string; driving: Driving };
/** `pressed`: the documents on which the person pressed their button; unknown where the page crashed meanwhile. */
type Turn = { driven: Driven; ackMs: number; pressed: string[] | undefined; wrong: string | undefined };

/** One takeover: now and then the person presses their button, or loads the page again. Not on a page that has crashed. */
async function takeOver({ client, log, random, id, driving }: TurnParts): Promise<Turn> {
  const begun = performance.now();
  const { takeover: requested } = await client.requestSessionTakeover({ id });
  const takeover = requested.status === 'active' ? requested : await activated(client, id);
  const ackMs = performance.now() - begun;
  const from = takeover.activated_at === null ? Number.NaN : Date.parse(takeover.activated_at);
  let seq = 0;
  const input = (action: { action: 'click'; x: number; y: number } | { action: 'navigate'; url: string }) =>
    client.movePointer({ id, ...action, takeover_id: takeover.takeover_id, input_seq: ++seq });
  const pressed: string[] = [];
  const act = async () => {
    if (random.is(0.3)) {
      await input({ action: 'click', ...places.mine });
      pressed.push(log.ready.at(-1) ?? '');
    }
    if (random.is(0.1)) {
      const known = log.ready.length;
      await input({ action: 'navigate', url: log.url });
      // They see the page before they hand it back.
      await until(() => log.ready.length > known, goOnMs);
    }
  };
  let isRefused = true;
  let hasCrashed = false;
  if (!Number.isNaN(from)) {
    driving.noteTaken();
    await act().catch(async (error: unknown) => {
      // The person may hear of it before the program does.
      hasCrashed = /has crashed/.test(String(error)) || (await isSoWithin(driving.isGone, hearMs));
      if (!hasCrashed) throw error;
    });
    await sleep(random.between(5, 80));
    isRefused = await driving.untilRefused(goOnMs);
  }
  const to = Date.now();
  driving.noteReturned();
  await client.resumeSessionTakeover({ id });
  const wrong = Number.isNaN(from) ? `it is ${takeover.status}` : isRefused ? undefined : 'no act was refused';
  return { driven: { from, to }, ackMs, pressed: hasCrashed || driving.isGone() ? undefined : pressed, wrong };
}

const isSoWithin = (isSo: () => boolean, ms: number) =>
  until(isSo, ms).then(
    () => true,
    () => false,
  );

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

/** Documents since then that did not say that they were left. The last one is still there. */
const crashedOf = ({ ready, left }: EventLog, since: number): Set<string> =>
  new Set(ready.slice(since, -1).filter((document) => !left.includes(document)));

/** What the page has told when it tells no more. */
async function settled(log: EventLog, since: number): Promise<EventLog['events']> {
  let before = -1;
  while (before !== log.events.length) {
    before = log.events.length;
    await sleep(400);
  }
  return log.events.filter(({ at }) => at >= since);
}
