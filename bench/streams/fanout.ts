import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { announceEvent, connectBus } from '@pilothouse/bus';
import { createClient } from '@pilothouse/sdk';
import { openStore, type Store } from '@pilothouse/store';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { treePssMib } from '../browser/process-tree.ts';
import { cpuMs } from '../server/load.ts';
import { startBareStreams, startClients } from './children.ts';

export type FanoutPlan = {
  streams: number;
  clientsEach: number;
  rounds: number;
  roundMs?: number;
  settleMs?: number;
  restMs?: number;
};
type Task = { id: string; sessionId: string };

const everyMs = 1000;

/**
 * One event a second in each of many streams, to everybody who follows it: what the server uses of the processor for
 * each event that arrived and of the memory for each client, beside a bare server of the same events.
 */
export function measureFanout(plan: FanoutPlan) {
  Object.assign(process.env, {
    QUOTA_OPEN_SESSIONS: '10000',
    QUOTA_OPEN_TASKS: '10000',
    STREAMS_PER_USER: '100000',
    STREAMS_PER_ADDRESS: '100000',
    LOG_LEVEL: 'warn',
  });
  return withStack(`bench-${process.pid}`, (stack) => measureIn(stack, plan));
}

async function measureIn(stack: Stack, plan: FanoutPlan) {
  const { streams, clientsEach, rounds, roundMs = 10_000, settleMs = 5000, restMs = 2000 } = plan;
  const port = await freePort();
  await stack.up({ port, servers: 1, agents: 0, browsers: 0, disableAuth: true });
  const { url } = stack.services.bus();
  const signIn = await stack.services.admit({ role: 'server', id: 'bench' });
  const bus = await connectBus({ servers: url, ...signIn, name: 'bench' });
  const store = openStore({
    url: stack.services.databaseUrl(),
    // Nothing is put there.
    blobDir: tmpdir(),
    onError: () => {},
    onChanged: (sessionId, seq, events) => announceEvent(bus, sessionId, seq, events),
  });
  const [bare, ofBare, ofOurs] = await Promise.all([startBareStreams(), startClients(), startClients()]);
  const pid = stack.status().processes['server-1']?.pid ?? 0;
  try {
    const tasks = await newTasks(port, streams);
    const each = <T>(make: (task: Task) => T) =>
      tasks.flatMap((task) => Array.from({ length: clientsEach }, () => make(task)));
    const ours = {
      pid,
      clients: ofOurs,
      port,
      paths: each(({ id }) => `/api/tasks/${id}/events`),
      say: (task: Task) => sayOurs(store, task),
    };
    const theirs = {
      pid: bare.pid,
      clients: ofBare,
      port: bare.port,
      paths: each(({ id }) => `/${id}`),
      say: async ({ id, sessionId }: Task) => bare.say({ stream: `/${id}`, bytes: bareEvent(id, sessionId) }),
    };
    const memory = { ours: await fill(ours, settleMs), bare: await fill(theirs, settleMs) };
    const spent = { ours: { cpuMs: 0, events: 0 }, bare: { cpuMs: 0, events: 0 } };
    for (let round = 0; round < rounds; round += 1) {
      // One side at a time, so that neither takes the other's processor.
      add(spent.ours, await speak(ours, tasks, { roundMs, restMs }));
      add(spent.bare, await speak(theirs, tasks, { roundMs, restMs }));
    }
    const perEvent = { ours: microseconds(spent.ours), bare: microseconds(spent.bare) };
    return {
      streams,
      clients: streams * clientsEach,
      delivered: {
        ours: spent.ours.events,
        bare: spent.bare.events,
        expected: rounds * (roundMs / everyMs) * streams * clientsEach,
      },
      cpu_us_per_event: { ...perEvent, ratio: ratioOf(perEvent) },
      memory_kib_per_client: { ...memory, ratio: ratioOf(memory) },
    };
  } finally {
    await Promise.all([bare.close(), ofBare.close(), ofOurs.close()]);
    await store.close();
    await bus.close();
  }
}

type Side = {
  pid: number;
  port: number;
  paths: string[];
  clients: Awaited<ReturnType<typeof startClients>>;
  say: (task: Task) => Promise<void>;
};
type Times = { roundMs: number; restMs: number };
type CpuSpent = { cpuMs: number; events: number };

/** Everybody comes; answers what each of them holds of the server's memory, in KiB. */
async function fill({ pid, port, paths, clients }: Side, settleMs: number): Promise<number> {
  // A first crowd brings what is there once and for all: compiled code, and the room that a process keeps for what is new.
  const first = await startClients();
  await first.tell({ type: 'open', port, paths: paths.slice(0, paths.length / 5) });
  await first.close();
  await clients.tell({ type: 'open', port, paths: paths.slice(0, 200) });
  await sleep(settleMs);
  const before = treePssMib(pid);
  await clients.tell({ type: 'open', port, paths: paths.slice(200) });
  await sleep(settleMs);
  return Math.round(((treePssMib(pid) - before) * 1024 * 10) / (paths.length - 200)) / 10;
}

async function speak({ pid, clients, say }: Side, tasks: Task[], { roundMs, restMs }: Times): Promise<CpuSpent> {
  const { events } = await clients.tell({ type: 'count' });
  const before = cpuMs(pid);
  const until = performance.now() + roundMs;
  for (let next = performance.now(); next < until; next += everyMs) {
    await sleep(Math.max(0, next - performance.now()));
    // Spread over the second, as those of many sessions are.
    await Promise.all(tasks.map((task, i) => sleep((i * everyMs) / tasks.length).then(() => say(task))));
  }
  await sleep(restMs);
  const spent = cpuMs(pid) - before;
  return { cpuMs: spent, events: (await clients.tell({ type: 'count' })).events - events };
}

async function newTasks(port: number, count: number): Promise<Task[]> {
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
  const tasks: Task[] = [];
  for (let i = 0; i < count; i += 1) {
    const { task_id, session_id } = await client.sendChat({ prompt: 'x', steps: [{ action: 'screenshot' }] });
    tasks.push({ id: task_id, sessionId: session_id });
  }
  return tasks;
}

const message = 'Step 3 of 12: click "Add to basket"';

const sayOurs = (store: Store, { id, sessionId }: Task): Promise<void> =>
  store.change(sessionId, (_tx, append) =>
    store.logs.append(append, { taskId: id, level: 'info', message, stepId: '3' }),
  );

/** The same as ours on the wire, but for its numbers. */
const bareEvent = (id: string, session_id: string): string => {
  const recorded_at = new Date().toISOString();
  const log = { level: 'info', message, step_id: '3', seq: 100, timestamp: recorded_at };
  const data = { type: 'log', session_id, seq: 100, recorded_at, log, task_id: id };
  return `id: 000000000000\nevent: log\ndata: ${JSON.stringify(data)}\n\n`;
};

function add(sum: CpuSpent, one: CpuSpent): void {
  sum.cpuMs += one.cpuMs;
  sum.events += one.events;
}
const microseconds = ({ cpuMs: ms, events }: CpuSpent) => Math.round((ms * 10_000) / Math.max(1, events)) / 10;
const ratioOf = ({ ours, bare }: { ours: number; bare: number }) => Math.round((ours / bare) * 100) / 100;
