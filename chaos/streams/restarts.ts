// Many people who follow tasks while the servers under them are restarted, some with a word and some without.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import { createClient } from '@pilothouse/sdk';
import { createRandom, type Random } from '../../testkit/random.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { createFailover } from '../tasks/failover.ts';
import { doubleProgram, withDatabase } from '../tasks/run.ts';

export type RestartsOptions = { stack: Stack; seed: number; clients: number; tasks: number; restarts: number };

type Follower = { taskId: string; seqs: number[]; connections: number; error: string | null };

const downMs = { from: 200, to: 1000 };
const betweenMs = { from: 2500, to: 4500 };
/** Of a task: a step that says something every so often, for longer than all restarts take. */
const stepSecs = 2;

export async function followThroughRestarts({ stack, seed, clients, tasks, restarts }: RestartsOptions) {
  const random = createRandom(seed);
  const port = await freePort();
  Object.assign(process.env, {
    QUOTA_OPEN_SESSIONS: '10000',
    QUOTA_OPEN_TASKS: '10000',
    HOST_CAPACITY: '1000',
    STREAMS_PER_USER: '100000',
    STREAMS_PER_ADDRESS: '100000',
  });
  const programs = { browser: doubleProgram };
  await stack.up({ port, servers: 2, agents: 1, browsers: 1, disableAuth: true, programs });
  const baseUrls = stack.status().base_urls;
  const forMs = restarts * (betweenMs.to + downMs.to + 2000) + 10_000;
  const steps: Step[] = Array.from({ length: Math.ceil(forMs / 1000 / stepSecs) }, () => ({
    action: 'wait',
    for: { secs: stepSecs },
  }));
  const asking = createClient({ baseUrl: baseUrls[0] ?? '' });
  const ids: string[] = [];
  for (let i = 0; i < tasks; i += 1) {
    const { task_id } = await asking.sendChat({ prompt: `task ${i}`, steps, max_steps: 200 });
    ids.push(task_id);
  }
  const signal = AbortSignal.timeout(2 * forMs + 120_000);
  // Of each task, half begin at one server and half at the other.
  const following = Array.from({ length: clients }, (_, i) =>
    followOne(i % (2 * ids.length) < ids.length ? baseUrls : baseUrls.toReversed(), ids[i % ids.length] ?? '', signal),
  );
  const reads = await restartServers(stack, random, restarts);
  const all = await Promise.all(following);
  const wrong = await withDatabase(stack, async (client) => {
    const { rows } = await client.query<{ task_id: string; seqs: string[] }>(
      // Where the browser went is for those who watch the session.
      `select task_id, array_agg(seq order by seq) as seqs from events
       where task_id = any ($1) and kind <> 'route' group by task_id`,
      [ids],
    );
    const logged = new Map(rows.map(({ task_id, seqs }) => [task_id, seqs.map(Number)]));
    return all.flatMap((one) => faultOf(one, logged.get(one.taskId) ?? []) ?? []);
  });
  for (const [server, { replays, streams }] of reads) {
    if (replays > streams) wrong.push(`${server} read the past ${replays} times for ${streams} streams`);
  }
  return {
    seed,
    clients,
    tasks,
    restarts,
    events_delivered: all.reduce((sum, { seqs }) => sum + seqs.length, 0),
    connections: all.reduce((sum, { connections }) => sum + connections, 0),
    replays: reads.map(([, { replays, streams }]) => `${replays} of ${streams}`),
    wrong,
  };
}

/** Begins at the first of the servers. */
async function followOne(order: string[], taskId: string, signal: AbortSignal): Promise<Follower> {
  const client = createClient({ baseUrl: order[0] ?? '', fetch: createFailover(order) });
  const seen: Follower = { taskId, seqs: [], connections: 0, error: null };
  const onConnection = (state: string) => {
    if (state === 'connected') seen.connections += 1;
  };
  try {
    for await (const event of client.followTask({ id: taskId }, { signal, onConnection })) {
      if ('seq' in event && typeof event.seq === 'number') seen.seqs.push(event.seq);
    }
  } catch (error) {
    seen.error = String(error);
  }
  return seen;
}

function faultOf({ taskId, seqs, error }: Follower, logged: number[]): string | undefined {
  if (error) return `${taskId}: ${error}`;
  const at = logged.findIndex((seq, i) => seqs[i] !== seq);
  if (at < 0 && seqs.length === logged.length) return undefined;
  return `${taskId}: got ${seqs.length} events of ${logged.length}; at ${at} it is ${seqs[at]} and not ${logged[at]}`;
}

type Reads = { replays: number; streams: number };

/** What each server said of its reading before it was ended, and at the end. */
async function restartServers(stack: Stack, random: Random, restarts: number): Promise<[string, Reads][]> {
  const reads: [string, Reads][] = [];
  for (let i = 0; i < restarts; i += 1) {
    await sleep(random.between(betweenMs.from, betweenMs.to));
    const server = random.pick(['server-1', 'server-2']);
    reads.push([`${server} before restart ${i + 1}`, await readsOf(stack, server)]);
    await stack.kill(server, random.pick(['SIGTERM', 'SIGKILL']));
    await sleep(random.between(downMs.from, downMs.to));
    await stack.start(server);
  }
  await sleep(betweenMs.to);
  for (const server of ['server-1', 'server-2']) reads.push([`${server} at the end`, await readsOf(stack, server)]);
  return reads;
}

async function readsOf(stack: Stack, server: string): Promise<Reads> {
  const { ops_port } = stack.status().processes[server] ?? {};
  const text = await fetch(`http://127.0.0.1:${ops_port}/metrics`, { signal: AbortSignal.timeout(10_000) }).then(
    (answer) => answer.text(),
  );
  const count = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  const replays =
    count(/^pilothouse_event_reads_total\{why="begin"\} (\d+)$/m) +
    count(/^pilothouse_event_reads_total\{why="behind"\} (\d+)$/m);
  return { replays, streams: count(/^pilothouse_event_streams_total (\d+)$/m) };
}
