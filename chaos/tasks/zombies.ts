// Agents and hosts that are stopped beyond their lease and go on afterwards, in the belief that nothing happened. The
// hands are doubles that tell the site by which epoch each request was made.

import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@pilothouse/sdk';
import type pg from 'pg';
import { startCountingSite } from '../../testkit/pages/counter.ts';
import { createRandom, type Random } from '../../testkit/random.ts';
import { until } from '../../testkit/stack/daemon.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { checkTasks } from './check.ts';
import { createFailover } from './failover.ts';
import { askAndFollow, insist, type TaskHistory } from './person.ts';
import { doubleProgram, withDatabase } from './run.ts';
import { makeScript } from './script.ts';
import { watchStaleWrites } from './stale-writes.ts';

type Options = { stack: Stack; rounds: number; seed: number; atOnce?: number };

const takenOverMs = 30_000;
/** How long one that goes on is watched. */
const aliveAgainMs = 1500;
const afterwardsMs = 60_000;

export async function wakeZombies({ stack, rounds, seed, atOnce = 16 }: Options) {
  const [port, site] = await Promise.all([freePort(), startCountingSite()]);
  Object.assign(process.env, { AGENT_LEASE_SECS: '2', HOST_LEASE_SECS: '5', QUOTA_OPEN_TASKS: '1000' });
  process.env.QUOTA_OPEN_SESSIONS = '1000';
  process.env.HOST_CAPACITY = '100';
  await stack.up({ port, servers: 2, agents: 2, browsers: 2, disableAuth: true, programs: { browser: doubleProgram } });
  const baseUrls = stack.status().base_urls;
  const people = createClient({ baseUrl: baseUrls[0] ?? '', fetch: createFailover(baseUrls) });
  const all: TaskHistory[] = [];
  const random = createRandom(seed);
  const result = { rounds: 0, agents: 0, hosts: 0, moved: 0, late: [] as string[] };
  let isOver = false;
  try {
    await withDatabase(stack, watchStaleWrites);
    let index = 0;
    const work = async () => {
      while (!isOver) {
        const name = `zombie-${seed}-${index++}`;
        const script = makeScript(site.url, name, createRandom(seed + index), { least: 8, most: 20 });
        const seen = await askAndFollow(people, name, script);
        all.push(seen);
        await insist(() => people.deleteSession({ id: seen.sessionId }), AbortSignal.timeout(afterwardsMs));
      }
    };
    const working = Promise.all(Array.from({ length: atOnce }, work));
    await withDatabase(stack, async (client) => {
      // Which part is stopped is left to chance, and it may hold nothing: a run in which nobody loses anything says nothing.
      const isEnough = () => result.rounds >= rounds && (result.moved > 0 || result.rounds >= 5 * rounds);
      while (!isEnough() && result.late.length === 0) await stopOne(client, { stack, random, result });
    }).finally(() => {
      isOver = true;
    });
    await working;
    const wrong = await withDatabase(stack, async (client) => [
      ...(await checkTasks(client, site, all)),
      ...(await staleRequests(client, site.sent, all)),
    ]);
    return { seed, ...result, tasks: all.length, requests: site.sent.length, wrong: [...wrong, ...result.late] };
  } finally {
    await site.close();
  }
}

type Round = {
  stack: Stack;
  random: Random;
  result: { rounds: number; agents: number; hosts: number; moved: number; late: string[] };
};

async function stopOne(client: pg.Client, { stack, random, result }: Round): Promise<void> {
  await sleep(random.between(300, 1500));
  const part = random.pick(['agent-1', 'agent-2', 'browser-1', 'browser-2']);
  const pid = stack.status().processes[part]?.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  try {
    const isAgent = part.startsWith('agent');
    const moved = isAgent ? await agentIsReplaced(client) : await hostIsReplaced(client, part);
    if (moved === undefined) result.late.push(`${part}: nobody took over within ${takenOverMs} ms`);
    result.moved += moved ?? 0;
    result[isAgent ? 'agents' : 'hosts'] += 1;
    result.rounds += 1;
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await sleep(aliveAgainMs);
}

/** Waits until other agents have the tasks of the silent one; returns how many those were. */
async function agentIsReplaced(client: pg.Client): Promise<number | undefined> {
  const silent = await eventually(async () => {
    const { rows } = await client.query<{ id: string }>(
      `select id from agents where recovered_at > now() - interval '3 s'`,
    );
    return rows[0]?.id;
  });
  if (!silent) return undefined;
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from executions where agent_id = $1 and outcome = 'interrupted' and finished_at > now() - interval '5 s'`,
    [silent],
  );
  await sleep(500);
  return rows[0]?.count ?? 0;
}

async function hostIsReplaced(client: pg.Client, hostId: string): Promise<number | undefined> {
  const { rows } = await client.query<{ session_id: string; epoch: string }>(
    'select session_id, epoch from browsers where host_id = $1',
    [hostId],
  );
  if (rows.length === 0) return 0;
  return eventually(async () => {
    const left = await client.query(
      `select from browsers b join sessions s on s.id = b.session_id
       where b.session_id = any ($1) and b.host_id = $2 and s.status = 'active'`,
      [rows.map(({ session_id }) => session_id), hostId],
    );
    return left.rowCount === 0 ? rows.length : undefined;
  });
}

async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  let answer: T | undefined;
  await until(
    async () => {
      answer = await ask();
      return answer !== undefined;
    },
    takenOverMs,
    100,
  );
  return answer;
}

/** Requests that were made by an epoch after a try of a newer one had been answered: nobody may still act by it then. */
async function staleRequests(
  client: pg.Client,
  sent: { path: string; at: Date; epoch: number | null }[],
  all: TaskHistory[],
): Promise<string[]> {
  const { rows } = await client.query<{ task_id: string; epoch: string; effect_at: Date }>(
    `select task_id, epoch, min(effect_at) as effect_at from steps
     where task_id = any ($1) and status = 'success' group by task_id, epoch`,
    [all.map(({ taskId }) => taskId)],
  );
  const since = Map.groupBy(rows, ({ task_id }) => task_id);
  const taskOf = new Map(
    all.flatMap(({ taskId, script }) => script.sendings.map(({ path }) => [path, taskId] as const)),
  );
  return sent.flatMap(({ path, at, epoch }) => {
    const newer = since
      .get(taskOf.get(path) ?? '')
      ?.find((one) => Number(one.epoch) > (epoch ?? 0) && one.effect_at < at);
    return newer ? `${path} was sent by epoch ${epoch} although ${newer.epoch} had acted` : [];
  });
}
