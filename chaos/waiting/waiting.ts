// Many tasks that wait for people at one agent: does a new one begin as soon as without them, and what do they weigh?

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@pilothouse/sdk';
import { figuresOf } from '../../testkit/percentiles.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';

type Size = { waiting: number; starts: number; settleMs?: number };

const atOnce = 8;
/** An agent without work gives memory back after five seconds. */
const usualSettleMs = 10_000;

export async function letManyWait(stack: Stack, { waiting, starts, settleMs = usualSettleMs }: Size) {
  const before = { ...process.env };
  Object.assign(process.env, { QUOTA_OPEN_TASKS: '100000', QUOTA_OPEN_SESSIONS: '100000' });
  try {
    const port = await freePort();
    await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true });
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    // As many that do not wait: what an agent has taken for its work it keeps, with and without tasks that wait.
    await endAll(client, await ask(client, waiting));
    await sleep(settleMs);
    const rested = await residentMb(stack);
    const alone = { ms: await startsOf(client, starts), mb: rested };
    const ids = await ask(client, waiting);
    await untilWaiting(client, ids.at(-1) ?? '');
    await sleep(settleMs);
    const grown = await residentMb(stack);
    const beside = { ms: await startsOf(client, starts), mb: grown };
    const answered = await answerSome(client, [ids[0], ids[Math.floor(ids.length / 2)], ids.at(-1)]);
    const [quiet, crowded] = [figuresOf(alone.ms), figuresOf(beside.ms)];
    return {
      waiting: ids.length,
      chat_to_begin_ms: { alone: quiet, beside: crowded, ratio: Math.round((100 * crowded.p50) / quiet.p50) / 100 },
      agent_grown_mb: Math.round(beside.mb - alone.mb),
      answered_and_done: answered,
    };
  } finally {
    for (const name of ['QUOTA_OPEN_TASKS', 'QUOTA_OPEN_SESSIONS'])
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
  }
}

/** From the answer to a chat to its first step begun: a step that needs no browser, so that only the queue is measured. */
async function startsOf(client: Client, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const { task_id: id } = await client.sendChat({ prompt: 'ask', steps: [{ action: 'ask', question: 'Now?' }] });
    const acceptedAt = Date.now();
    let begunAt: number | undefined;
    while (begunAt === undefined) {
      const { status } = await client.getTaskStatus({ id });
      if (status.started_at) begunAt = Date.parse(status.started_at);
      else await sleep(2);
      if (Date.now() - acceptedAt > 60_000) throw new Error('a new task did not begin within a minute');
    }
    times.push(Math.max(1, begunAt - acceptedAt));
    await client.cancelTask({ id });
  }
  return times;
}

async function ask(client: Client, count: number): Promise<string[]> {
  const ids: string[] = [];
  const lane = async () => {
    while (ids.length < count) {
      const place = ids.push('') - 1;
      const chat = { prompt: 'ask', steps: [{ action: 'ask', question: 'Which one?' } as const] };
      ids[place] = (await client.sendChat(chat)).task_id;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return ids;
}

async function endAll(client: Client, ids: string[]): Promise<void> {
  await untilWaiting(client, ids.at(-1) ?? '');
  const left = [...ids];
  const lane = async () => {
    for (let id = left.pop(); id; id = left.pop()) await client.cancelTask({ id });
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

async function untilWaiting(client: Client, id: string): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(100))
    if ((await client.getTaskStatus({ id })).status.status === 'awaiting_user') return;
  throw new Error('the tasks do not ask');
}

async function answerSome(client: Client, ids: (string | undefined)[]): Promise<number> {
  let done = 0;
  for (const id of ids) {
    if (!id) continue;
    await client.signalTakeover({ id, answer: 'this one' });
    for (const end = Date.now() + 20_000; Date.now() < end; await sleep(50))
      if ((await client.getTaskStatus({ id })).status.status === 'success') {
        done += 1;
        break;
      }
  }
  return done;
}

async function residentMb(stack: Stack): Promise<number> {
  const pid = stack.status().processes['agent-1']?.pid;
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? Number.NaN) / 1024;
}
