// Several people and the agent want one wheel, again and again, over two servers and two agents: one of them has it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import { type Client, createClient, isApiError } from '@pilothouse/sdk';
import { mine, startSite, type Touch } from '../../testkit/pages/takeover.ts';
import { figuresOf } from '../../testkit/percentiles.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { doubleProgram, withDatabase } from '../tasks/run.ts';

export type RacesOptions = {
  stack: Stack;
  seed: number;
  races: number;
  /** Sessions in which it is raced for at the same time. */
  atOnce: number;
  hands: 'chromium' | 'double';
};
type Run = { taskId: string; sessionId: string; path: string; formerId: string };
type DriverSpan = { path: string; from: number; to: number };

const clicks = 150;
const apartMs = 30;
const holdMs = 60;
/** In which the agent may do something. */
const restMs = 400;
const activeMs = 30_000;

export async function raceForWheels({ stack, seed, races, atOnce, hands }: RacesOptions) {
  const [port, site] = await Promise.all([freePort(), startSite()]);
  process.env.QUOTA_OPEN_SESSIONS ??= '1000';
  process.env.QUOTA_OPEN_TASKS ??= '1000';
  if (hands === 'double') process.env.HOST_CAPACITY ??= String(4 * atOnce);
  const programs = hands === 'double' ? { browser: doubleProgram } : undefined;
  const size = { servers: 2, agents: 2, browsers: 2 };
  const up = stack.up({ port, ...size, disableAuth: true, sites: [site.url], programs });
  await up.catch(async (error) => {
    await site.close();
    throw error;
  });
  const clients = stack.status().base_urls.map((baseUrl) => createClient({ baseUrl }));
  const held: DriverSpan[] = [];
  const wrong: string[] = [];
  const waitedMs = { manual: [] as number[], user: [] as number[] };
  const counts = { won: 0, refused: 0, presses: 0, tasks: 0 };
  let left = races;

  async function start(random: Random): Promise<Run> {
    counts.tasks += 1;
    const path = `/${counts.tasks}`;
    const steps: Step[] = [
      { action: 'navigate', url: site.url + path },
      ...Array.from({ length: clicks }, (): Step => ({ action: 'click', target: 'Work' })),
    ];
    const client = random.pick(clients);
    const { task_id: taskId, session_id: sessionId } = await client.sendChat({ prompt: path, steps, max_steps: 200 });
    const deadline = performance.now() + activeMs;
    while (!site.touches.some((touch) => touch.path === path) && performance.now() < deadline) await sleep(10);
    return { taskId, sessionId, path, formerId: '' };
  }

  async function ask(run: Run, random: Random) {
    const [client, kind] = [random.pick(clients), random.pick(['manual', 'user'] as const)];
    await sleep(random.between(0, apartMs));
    const id = run.taskId;
    const at = performance.now();
    const { takeover } =
      kind === 'manual' ? await client.requestTakeover({ id }) : await client.signalTakeover({ id, message: 'mine' });
    return takeover && { kind, id: takeover.takeover_id, at };
  }

  /** False where the task ended before they had it. */
  async function untilActive(client: Client, { sessionId }: Run, id: string): Promise<boolean> {
    const deadline = performance.now() + activeMs;
    for (;;) {
      const { takeover } = (await client.getSession({ id: sessionId })).snapshot;
      if (takeover?.takeover_id !== id) return false;
      if (takeover.status === 'active') return true;
      if (performance.now() > deadline) throw new Error(`never had: ${JSON.stringify(takeover)}`);
      await sleep(10);
    }
  }

  async function drive(run: Run, random: Random, id: string): Promise<void> {
    const from = Date.now();
    const press = (client: Client, takeover_id: string, input_seq: number) =>
      client.movePointer({ id: run.sessionId, action: 'click', ...mine, takeover_id, input_seq });
    await press(random.pick(clients), id, 1);
    counts.presses += 1;
    if (run.formerId) {
      const late = await press(random.pick(clients), run.formerId, 2).catch((error: unknown) => error);
      if (!isApiError(late, 'takeover_conflict')) wrong.push(`${run.path}: who had it before was let in`);
    }
    await sleep(random.between(0, holdMs));
    held.push({ path: run.path, from, to: Date.now() });
    await random.pick(clients).resumeTakeover({ id: run.taskId });
    run.formerId = id;
  }

  async function race(run: Run, random: Random): Promise<'won' | 'nobody' | 'over'> {
    await sleep(random.between(0, restMs));
    const asked = await Promise.allSettled(Array.from({ length: 2 + random.below(3) }, () => ask(run, random)));
    const won = asked.flatMap((one) => (one.status === 'fulfilled' && one.value ? one.value : []));
    const lost = asked.flatMap((one) => (one.status === 'rejected' ? one.reason : []));
    const strange = lost.filter((error) => !isApiError(error, 'takeover_conflict') && !isApiError(error, 'conflict'));
    wrong.push(...strange.map(String));
    // The same person may ask twice: they get the takeover that they have requested.
    const standing = new Set(won.map(({ id }) => id)).size;
    if (standing > 1) wrong.push(`${run.path}: ${standing} takeovers stand`);
    counts.refused += lost.length;
    const [winner] = won;
    if (!winner) return lost.some((error) => isApiError(error, 'conflict')) ? 'over' : 'nobody';
    if (!(await untilActive(random.pick(clients), run, winner.id))) return 'over';
    waitedMs[winner.kind].push(performance.now() - winner.at);
    counts.won += 1;
    await drive(run, random, winner.id);
    return 'won';
  }

  async function raceOn(index: number): Promise<void> {
    const random = createRandom(seed + index);
    let run: Run | undefined;
    while (left > 0) {
      run ??= await start(random);
      const outcome = await race(run, random);
      // One in which the wheel was still on its way back is none.
      if (outcome === 'won') left -= 1;
      if (outcome === 'over') run = undefined;
    }
    if (run) await clients[0]?.cancelTask({ id: run.taskId }).catch(() => undefined);
  }

  try {
    await Promise.all(Array.from({ length: atOnce }, (_, index) => raceOn(index)));
    const people = await withDatabase(stack, (client) =>
      client.query<{ path: string; epoch: number; overlaps: boolean }>(
        `select k.prompt as path, t.epoch::int,
           exists (select from takeovers o where o.session_id = t.session_id and o.id <> t.id
                   and o.activated_at < t.ended_at and t.activated_at < o.ended_at) as overlaps
         from takeovers t join tasks k on k.id = t.task_id where t.activated_at is not null`,
      ),
    );
    wrong.push(...people.rows.flatMap(({ path, epoch, overlaps }) => (overlaps ? `${path}: two at ${epoch}` : [])));
    wrong.push(...intruders(site.touches, held, new Set(people.rows.map(({ path, epoch }) => `${path} ${epoch}`))));
    return {
      seed,
      hands,
      races,
      ...counts,
      touches_of_agents: site.touches.filter(({ hand }) => hand === 'agent').length,
      touches_of_people: site.touches.filter(({ hand }) => hand === 'person').length,
      manual_ms: figuresOf(waitedMs.manual),
      user_ms: figuresOf(waitedMs.user),
      wrong,
    };
  } finally {
    await site.close();
  }
}

/** By the epoch of the hand where it is known, and otherwise by the clock of the machine that all of this runs on. */
function intruders(touches: Touch[], held: DriverSpan[], epochsOfPeople: Set<string>): string[] {
  return touches.flatMap(({ path, hand, at, epoch }) => {
    const isPersons = epochsOfPeople.has(`${path} ${epoch}`);
    if (epoch !== null && isPersons !== (hand === 'person')) return `${path}: ${hand} acted under epoch ${epoch}`;
    const isHeld = held.some((one) => one.path === path && one.from < at && at < one.to);
    return hand === 'agent' && isHeld ? `${path}: the agent acted while a person had the wheel` : [];
  });
}
