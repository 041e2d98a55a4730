// A person takes over, or cancels, while the model thinks for half a minute: they do not wait for it, its connection is closed,
// and nothing acts afterwards.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Mind } from '../../testkit/models/mind.ts';
import { type Intent, teacher } from '../../testkit/models/teacher.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { ended, type House, share, soon } from './house.ts';

/** `slack`: by how much a busy machine may be slower. */
type Options = { seed: number; rounds: number; slack: number };
type Round = { name: string; taskId: string; sessionId: string; random: Random; wrong: string[] };
type Measured = { answeredMs: number; closedMs: number };

const thinksMs = 30_000;
/** How long is listened afterwards. */
const quietMs = 700;
const most = { wheelMs: 1000, cancelMs: 250, closedMs: 700 };

export async function takeTheWheel(house: House, options: Options) {
  const { slack } = options;
  const { wrong, measured } = await interrupt(house, 'wheel', options, takeOver);
  const active = measured.map(({ answeredMs }) => answeredMs);
  const closed = measured.map(({ closedMs }) => closedMs);
  const isSoon = share(active, 0.95) <= slack * most.wheelMs && Math.max(...closed) <= slack * most.closedMs;
  const figures = { rounds: options.rounds, active_ms: figuresOf(active), closed_ms: figuresOf(closed), wrong };
  return { isGood: isSoon && wrong.length === 0, figures };
}

export async function cancelWhileThinking(house: House, options: Options) {
  const { slack } = options;
  const { wrong, measured } = await interrupt(house, 'cancel', options, cancel);
  const acknowledged = measured.map(({ answeredMs }) => answeredMs);
  const closed = measured.map(({ closedMs }) => closedMs);
  const isSoon = share(acknowledged, 0.5) <= slack * most.cancelMs && Math.max(...closed) <= slack * most.closedMs;
  const figures = {
    rounds: options.rounds,
    acknowledged_ms: figuresOf(acknowledged),
    closed_ms: figuresOf(closed),
    wrong,
  };
  return { isGood: isSoon && wrong.length === 0, figures };
}

const figuresOf = (times: number[]) => ({ p50: share(times, 0.5), p95: share(times, 0.95), max: share(times, 1) });

/** One task after the other in one session: each thinks long once, in its second decision. */
async function interrupt(
  house: House,
  kind: string,
  { seed, rounds }: Options,
  act: (house: House, round: Round) => Promise<Measured>,
) {
  const random = createRandom(seed);
  const wrong: string[] = [];
  const measured: Measured[] = [];
  let sessionId: string | undefined;
  for (let i = 0; i < rounds; i += 1) {
    const name = `${kind}-${seed}-${i}`;
    const plan: Intent[] = [
      { open: `${house.forms.url}/${name}` },
      { click: 'Send', irreversible: true },
      { finish: null },
    ];
    const task = await house.begin(name, thinksLongAt(2, teacher(plan)), sessionId);
    sessionId = task.sessionId;
    await soon(`${name}: the model thinks`, () => house.booksOf(name).length === 2);
    await sleep(random.between(20, 600));
    measured.push(await act(house, { name, ...task, random, wrong }));
  }
  if (sessionId) await house.client.deleteSession({ id: sessionId });
  return { wrong, measured };
}

/** The n-th request is answered after half a minute, if anybody still waits for it then. */
function thinksLongAt(n: number, mind: Mind): Mind {
  let asked = 0;
  return async (request) => {
    asked += 1;
    const thought = await mind(request);
    return asked === n && !('fault' in thought) ? { fault: 'slow', ms: thinksMs, answer: thought } : thought;
  };
}

async function takeOver(house: House, { name, taskId, sessionId, wrong }: Round): Promise<Measured> {
  const { client } = house;
  const askedAt = Date.now();
  await client.requestTakeover({ id: taskId });
  await soon(`${name}: the takeover is active`, async () => {
    const { takeover } = (await client.getSession({ id: sessionId })).snapshot;
    return takeover?.status === 'active';
  });
  const answeredMs = Date.now() - askedAt;
  const closedMs = await closedAfter(house, name, askedAt);
  await expectQuiet(house, { name, taskId, wrong });
  await client.resumeTakeover({ id: taskId });
  const status = await ended(house, taskId);
  if (status?.status !== 'success')
    wrong.push(`${name}: after the takeover it ended as ${status?.status}: ${status?.last_error}`);
  if (house.forms.posts.get(`/${name}`) !== 1)
    wrong.push(`${name}: sent ${house.forms.posts.get(`/${name}`) ?? 0} times`);
  const next = house.booksOf(name)[2];
  const isTold = next?.request.messages.some(({ text }) => text.includes('drove the browser'));
  if (!isTold) wrong.push(`${name}: the model was not told that a person drove`);
  return { answeredMs, closedMs };
}

async function cancel(house: House, { name, taskId, wrong }: Round): Promise<Measured> {
  const askedAt = Date.now();
  const { status } = await house.client.cancelTask({ id: taskId });
  const answeredMs = Date.now() - askedAt;
  if (status.status !== 'cancelled') wrong.push(`${name}: it is ${status.status}`);
  const closedMs = await closedAfter(house, name, askedAt);
  await expectQuiet(house, { name, taskId, wrong });
  return { answeredMs, closedMs };
}

/** From the request of the person until the model server saw its connection closed. */
async function closedAfter(house: House, name: string, askedAt: number): Promise<number> {
  const entry = house.booksOf(name)[1];
  await soon(`${name}: the connection is closed`, () => entry?.closedAfterMs !== undefined);
  return (entry?.at ?? 0) + (entry?.closedAfterMs ?? 0) - askedAt;
}

/** The call is on record as aborted, and nothing is asked, decided or sent. */
async function expectQuiet(house: House, { name, taskId, wrong }: Pick<Round, 'name' | 'taskId' | 'wrong'>) {
  await sleep(quietMs);
  const calls = await house.rows<{ status: string }>(
    'select status from model_calls where task_id = $1 order by number',
    [taskId],
  );
  const steps = await house.rows<{ index: number }>('select index from steps where task_id = $1', [taskId]);
  const seen = { asked: house.booksOf(name).length, steps: steps.length, sent: house.forms.posts.get(`/${name}`) ?? 0 };
  if (seen.asked !== 2 || seen.steps !== 1 || seen.sent !== 0)
    wrong.push(`${name}: something was done afterwards: ${JSON.stringify(seen)}`);
  const statuses = calls.map(({ status }) => status).join();
  if (statuses !== 'ok,aborted') wrong.push(`${name}: the calls are on record as ${statuses}`);
}
