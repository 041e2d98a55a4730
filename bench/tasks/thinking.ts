// Many tasks whose models think at once, at one agent: how late its loop comes, and what they weigh, beside the agent without work.

import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@pilothouse/sdk';
import type { Mind } from '../../testkit/models/mind.ts';
import { type ModelServer, startModelServer } from '../../testkit/models/server.ts';
import { root } from '../../testkit/stack/folders.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { until } from '../../testkit/until.ts';

type Size = { tasks: number; secs: number; thinkMs?: number };
type Lag = { p50: number; p99: number; max: number };

const atOnce = 4;
const beginMs = 240_000;
/** Hosts without browsers: a hundred browsers would be measured, and not the agent. */
const programs = {
  browser: join(root, 'testkit/fake-host/double-with-pages.child.ts'),
  agent: join(root, 'bench/tasks/agent-with-lag.child.ts'),
};

export async function measureThinking(size: Size) {
  const folder = await mkdtemp(join(tmpdir(), 'thinking-'));
  const model = await startModelServer(thinks(size.thinkMs ?? 10_000));
  const settings = settingsFor(size, model, join(folder, 'lag.json'));
  Object.assign(process.env, settings);
  try {
    return await withStack(`thinking-${process.pid}`, (stack) => measureIn(stack, model, size));
  } finally {
    for (const name of Object.keys(settings)) delete process.env[name];
    await model.close();
    await rm(folder, { recursive: true });
  }
}

const settingsFor = ({ tasks }: Size, model: ModelServer, lagFile: string): Record<string, string> => ({
  MODELS: `local=${model.addresses.chat}#scripted`,
  MODEL_CONCURRENCY: String(tasks),
  QUOTA_OPEN_SESSIONS: String(2 * tasks),
  QUOTA_OPEN_TASKS: String(2 * tasks),
  HOST_CAPACITY: String(2 * tasks),
  HOST_MAX_SESSIONS: String(2 * tasks),
  AGENT_MAX_RUNS: String(2 * tasks),
  LOG_LEVEL: 'warn',
  AGENT_LAG_FILE: lagFile,
});

/** Each decision opens another page, so that every look is at a new one and every request has a picture. */
function thinks(ms: number): Mind {
  let count = 0;
  return () => {
    count += 1;
    const open = { name: 'open', input: { url: `http://site.test/${count}` } };
    return { fault: 'slow', ms, answer: { text: 'check: it is open\ngoal: the next page', calls: [open] } };
  };
}

async function measureIn(stack: Stack, model: ModelServer, { tasks, secs }: Size) {
  const port = await freePort();
  await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, programs });
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
  const alone = await measureAgent(stack, secs);
  const isThinking = () => model.books.filter(({ answer }) => answer === 'open').length;
  const ids: string[] = [];
  const lane = async () => {
    while (ids.length < tasks) {
      const place = ids.push('') - 1;
      ids[place] = (await client.sendChat({ prompt: 'Read every page.', planner: 'llm', max_steps: 200 })).task_id;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  // One of them may be between two calls.
  await until(() => isThinking() >= 0.9 * tasks, beginMs);
  const from = model.books.length;
  const beside = await measureAgent(stack, secs);
  const decisions = model.books.length - from;
  for (const id of ids) await client.cancelTask({ id });
  return {
    tasks,
    secs,
    decisions_per_second: Math.round((10 * decisions) / secs) / 10,
    loop_lag_ms: { alone: alone.lag, beside: beside.lag },
    resident_mb: { alone: alone.mb, beside: beside.mb, grown: beside.mb - alone.mb },
  };
}

/** The memory is the most of several looks. */
async function measureAgent(stack: Stack, secs: number): Promise<{ lag: Lag; mb: number }> {
  await readLag(stack);
  let mb = 0;
  for (let second = 0; second < secs; second += 1) {
    await sleep(1000);
    mb = Math.max(mb, residentMb(pidOf(stack)));
  }
  return { lag: await readLag(stack), mb };
}

async function readLag(stack: Stack): Promise<Lag> {
  const file = process.env.AGENT_LAG_FILE ?? '';
  rmSync(file, { force: true });
  process.kill(pidOf(stack), 'SIGUSR2');
  let lag: Lag | undefined;
  await until(() => {
    try {
      lag = JSON.parse(readFileSync(file, 'utf8'));
    } catch {
      // It is not written yet, or not to its end.
    }
    return lag !== undefined;
  }, 10_000);
  return lag as unknown as Lag;
}

function pidOf(stack: Stack): number {
  const pid = stack.status().processes['agent-1']?.pid;
  if (!pid) throw new Error('the agent does not run');
  return pid;
}

function residentMb(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(line?.[1] ?? Number.NaN) / 1024);
}
