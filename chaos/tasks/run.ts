// Tasks while everything around them is shot: a whole installation, real browsers or their double, people who follow.

import { join } from 'node:path';
import { createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { startCountingSite } from '../../testkit/pages/counter.ts';
import { figuresOf } from '../../testkit/percentiles.ts';
import { createRandom } from '../../testkit/random.ts';
import { root } from '../../testkit/stack/folders.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { checkTasks } from './check.ts';
import { createFailover } from './failover.ts';
import { askAndFollow, insist, type TaskHistory } from './person.ts';
import { makeScript } from './script.ts';
import { type Shot, startShooting } from './shots.ts';
import { watchStaleWrites } from './stale-writes.ts';

export type TasksOptions = {
  stack: Stack;
  seed: number;
  /** How many tasks; no more are begun once the time is over. */
  tasks: number;
  minutes?: number;
  atOnce: number;
  /** Real browsers, or hosts that only speak their protocol. */
  hands?: 'chromium' | 'double';
};

const afterwardsMs = 60_000;

/** How long scripts are: those without browsers are many instead. */
const lengths = { chromium: { least: 5, most: 20 }, double: { least: 3, most: 8 } };
export const doubleProgram = join(root, 'testkit/fake-host/double.child.ts');

export async function shootAtTasks({
  stack,
  seed,
  tasks,
  minutes = Number.POSITIVE_INFINITY,
  atOnce,
  hands = 'chromium',
}: TasksOptions) {
  const [port, site] = await Promise.all([freePort(), startCountingSite()]);
  // Their leases run out while they are stopped, most times.
  process.env.AGENT_LEASE_SECS ??= '4';
  process.env.HOST_LEASE_SECS ??= '5';
  process.env.QUOTA_OPEN_SESSIONS ??= '1000';
  process.env.QUOTA_OPEN_TASKS ??= '1000';
  // All people of this run are one user at one address.
  process.env.STREAMS_PER_USER ??= '10000';
  process.env.STREAMS_PER_ADDRESS ??= '10000';
  if (hands === 'double') process.env.HOST_CAPACITY ??= String(2 * atOnce);
  const programs = hands === 'double' ? { browser: doubleProgram } : undefined;
  await stack.up({ port, servers: 2, agents: 2, browsers: 2, disableAuth: true, sites: [site.url], programs });
  const baseUrls = stack.status().base_urls;
  const people = createClient({ baseUrl: baseUrls[0] ?? '', fetch: createFailover(baseUrls) });
  try {
    await withDatabase(stack, watchStaleWrites);
    const shooting = startShooting({
      stack,
      random: createRandom(seed),
      parts: { ours: Object.keys(stack.status().processes).sort(), services: ['nats', 'postgres'] },
    });
    const until = performance.now() + minutes * 60_000;
    const all: TaskHistory[] = [];
    const tookMs: number[] = [];
    let next = 0;
    const work = async () => {
      while (next < tasks && performance.now() < until) {
        const index = next++;
        const name = `task-${seed}-${index}`;
        const script = makeScript(site.url, name, createRandom(seed + index + 1), lengths[hands]);
        const begun = performance.now();
        const seen = await askAndFollow(people, name, script);
        tookMs.push(performance.now() - begun);
        all.push(seen);
        await insist(() => people.deleteSession({ id: seen.sessionId }), AbortSignal.timeout(afterwardsMs));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work)).finally(shooting.close);
    const wrong = await withDatabase(stack, (db) => checkTasks(db, site, all));
    const byKind = await withDatabase(stack, (db) => figuresByKind(db, shooting.shots));
    const count = (ended: string) => all.filter((one) => one.ended === ended).length;
    return {
      seed,
      tasks: all.length,
      success: count('success'),
      awaiting_user: count('awaiting_user'),
      shots: shooting.shots.length,
      posts: [...site.posts.values()].reduce((sum, one) => sum + one, 0),
      repeated_after_a_cut: [...site.posts.values()].filter((one) => one > 1).length,
      task_ms: figuresOf(tookMs),
      by_kind: byKind,
      caught_by_the_net: await caughtByTheNet(stack),
      wrong: [...wrong, ...shooting.problems],
    };
  } finally {
    await site.close();
  }
}

/** A connection of its own each time: the database is shot as well. */
export const withDatabase = <T>(stack: Stack, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withDatabaseAt(stack.services.databaseUrl(), work);

export async function withDatabaseAt<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** What each kind of shot did: tries it cut, tasks that another agent went on with, and how long nothing was finished. */
async function figuresByKind(client: pg.Client, shots: Shot[]) {
  const figures: Record<string, { shots: number; cut: number; taken_over: number; next_step_ms: number[] }> = {};
  for (const { kind, part, at, downMs } of shots) {
    const name = `${kind} ${part.replace(/-\d+$/, '')}`;
    const one = figures[name] ?? { shots: 0, cut: 0, taken_over: 0, next_step_ms: [] };
    figures[name] = one;
    const { rows } = await client.query<{ cut: number; taken_over: number; next_ms: number | null }>(
      `select (select count(*)::int from steps where status = 'interrupted' and effect_at between $1 and $1 + $2 * interval '1 ms') as cut,
              (select count(*)::int from executions where outcome = 'interrupted' and finished_at between $1 and $1 + $2 * interval '1 ms') as taken_over,
              (select round(1000 * extract(epoch from min(effect_at) - $1))::int from steps where status = 'success' and effect_at > $1) as next_ms`,
      [at, downMs + 4000],
    );
    one.shots += 1;
    one.cut += rows[0]?.cut ?? 0;
    one.taken_over += rows[0]?.taken_over ?? 0;
    if (rows[0]?.next_ms != null) one.next_step_ms.push(rows[0].next_ms);
  }
  return Object.fromEntries(
    Object.entries(figures).map(([name, { next_step_ms, ...rest }]) => [
      name,
      { ...rest, next_step_ms: figuresOf(next_step_ms) },
    ]),
  );
}

/** Of the agents that live now; those before told it to nobody. */
async function caughtByTheNet(stack: Stack): Promise<number> {
  let sum = 0;
  for (const [name, { ops_port }] of Object.entries(stack.status().processes)) {
    if (!name.startsWith('agent')) continue;
    const text = await fetch(`http://127.0.0.1:${ops_port}/metrics`).then((answer) => answer.text());
    for (const [, value] of text.matchAll(/^pilothouse_stuck_tasks_caught_total\{.*\} (\d+)$/gm)) sum += Number(value);
  }
  return sum;
}
