// Many live sessions beside few in one installation: whether a step, and what it costs, stays the same.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import { type Client, createClient, isApiError } from '@pilothouse/sdk';
import type pg from 'pg';
import { root } from '../../testkit/stack/folders.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { until } from '../../testkit/until.ts';
import { treeCpuMs } from '../browser/process-tree.ts';
import { countFromNowOn, openAdmin, openUncounted, sentWhile, sum } from './sent-statements.ts';

type Size = {
  few: number;
  many: number;
  agents: number;
  /** How long each of the two is measured. */
  secs: number;
  everySecs?: number;
  stepsPerTask?: number;
  /** How long it is counted what is sent without work. */
  idleSecs?: number;
};
type Parts = { stack: Stack; client: Client; database: pg.Pool; admin: pg.Pool };

/** Hosts without browsers: each stands for several real ones, which hold fewer sessions. */
const sessionsPerHost = 125;
/** Fewer than the server has connections to the database. */
const openedAtOnce = 4;
const retryMs = 1000;
const host = join(root, 'testkit/fake-host/double-with-pictures.child.ts');

/**
 * Each session runs tasks of steps that come every few seconds. A step is due that long after the one before it has ended;
 * it has ended when its effect is committed. In between are the look at the ledger, the intent, the command to the host
 * and its answer with a picture and the state.
 */
export async function measureSessions(size: Size) {
  const settings = settingsFor(size);
  Object.assign(process.env, settings);
  try {
    return await withStack(`sessions-${process.pid}`, (stack) => measureIn(stack, size));
  } finally {
    for (const name of Object.keys(settings)) delete process.env[name];
  }
}

async function measureIn(stack: Stack, size: Size) {
  const { few, many, agents, secs, everySecs = 5, stepsPerTask = 20, idleSecs = 10 } = size;
  await stack.services.up();
  const admin = openAdmin(stack.services);
  await countFromNowOn(stack.services, admin);
  const port = await freePort();
  const browsers = Math.ceil(many / sessionsPerHost);
  await stack.up({ port, servers: 1, agents, browsers, disableAuth: true, programs: { browser: host } });
  const database = openUncounted(stack.services);
  const parts = { stack, admin, database, client: createClient({ baseUrl: `http://127.0.0.1:${port}` }) };
  const idle = await sentWhile(admin, () => sleep(idleSecs * 1000));
  const load = startLoad(parts, { everySecs, stepsPerTask });
  try {
    const phase = { secs, everySecs, idlePerSec: sum(idle) / idleSecs };
    const ofFew = await measurePhase(parts, load, { ...phase, sessions: few });
    const ofMany = await measurePhase(parts, load, { ...phase, sessions: many });
    return { agents, every_secs: everySecs, secs, few: ofFew, many: ofMany, ratio: ratiosOf(ofFew, ofMany) };
  } finally {
    await load.close();
    await Promise.all([database.end(), admin.end()]);
  }
}

/** All sessions are one user's, and each has a run in an agent while it waits for its next step. */
const settingsFor = ({ many, agents }: Size): Record<string, string> => ({
  QUOTA_OPEN_SESSIONS: String(2 * many),
  QUOTA_OPEN_TASKS: String(4 * many),
  HOST_CAPACITY: String(sessionsPerHost + 25),
  HOST_MAX_SESSIONS: String(sessionsPerHost + 25),
  AGENT_MAX_RUNS: String(Math.ceil((1.5 * many) / agents)),
  LOG_LEVEL: 'warn',
});

type Load = { open(sessions: number, withinSecs: number): Promise<void>; close(): Promise<void> };

/** Keeps every session at work: one whose task has ended gets the next one. */
function startLoad({ client, database }: Parts, plan: { everySecs: number; stepsPerTask: number }): Load {
  const ending = new AbortController();
  const steps: Step[] = Array.from({ length: plan.stepsPerTask }, () => ({
    action: 'wait',
    for: { secs: plan.everySecs },
  }));
  let opened = 0;
  /** All chats are one user's, and the server takes those of one user one after the other. */
  const begin = async (session_id?: string): Promise<void> => {
    try {
      await client.sendChat({ prompt: 'wait', session_id, steps });
    } catch (error) {
      if (!isApiError(error, 'overloaded') || ending.signal.aborted) throw error;
      await sleep(retryMs);
      return begin(session_id);
    }
  };

  async function beginNext(): Promise<void> {
    const { rows } = await database.query<{ id: string }>(
      `select s.id from sessions s where s.status = 'idle'
         and not exists (select from tasks t where t.session_id = s.id and t.finished_at is null)`,
    );
    for (let i = 0; i < rows.length; i += openedAtOnce)
      await Promise.all(rows.slice(i, i + openedAtOnce).map(({ id }) => begin(id)));
  }
  async function keepAtWork(): Promise<void> {
    while (!ending.signal.aborted) {
      await beginNext();
      await sleep(500, undefined, { signal: ending.signal }).catch(() => {});
    }
  }
  const kept = keepAtWork();
  // It is awaited at the end.
  kept.catch(() => {});

  return {
    /** Evenly spread over this time, so that the steps of all sessions are too. */
    async open(sessions, withinSecs) {
      const [first, began] = [opened, performance.now()];
      const dueMs = (nth: number) => (1000 * withinSecs * (nth - first)) / Math.max(1, sessions - first);
      const lane = async () => {
        while (opened < sessions) {
          const nth = opened++;
          await sleep(Math.max(0, began + dueMs(nth) - performance.now()));
          await begin();
        }
      };
      await Promise.all(Array.from({ length: openedAtOnce }, lane));
    },
    async close() {
      ending.abort();
      await kept;
    },
  };
}

type Phase = { sessions: number; secs: number; everySecs: number; idlePerSec: number };

async function measurePhase(parts: Parts, load: Load, { sessions, secs, everySecs, idlePerSec }: Phase) {
  const { stack, database, admin } = parts;
  // Several rounds of steps, so that opening does not push all of them into the same moment.
  await load.open(sessions, Math.max(everySecs, sessions / 20));
  const working = `select count(*)::int as count from sessions where status = 'active' and browser = 'live'`;
  await until(async () => (await database.query(working)).rows[0]?.count >= 0.95 * sessions, 120_000);
  await sleep(2 * everySecs * 1000);
  const before = cpuOf(stack);
  const [begun] = (await database.query<{ at: Date }>('select clock_timestamp() as at')).rows;
  const sent = await sentWhile(admin, () => sleep(secs * 1000));
  const after = cpuOf(stack);
  const steps = await readSteps(database, { since: begun?.at ?? new Date(), secs, everySecs });
  const used = Object.entries(after).map(([part, ms]) => [part, ms - (before[part] ?? 0)] as const);
  const cpu = used.map(([part, ms]) => [part, round(ms / steps.count)]);
  const statements = sum(sent) - idlePerSec * secs;
  if (process.env.BENCH_STATEMENTS)
    for (const [query, calls] of [...sent].sort(([, a], [, b]) => b - a))
      console.error(sessions, round(calls / steps.count), query.replaceAll(/\s+/g, ' ').slice(0, 170));
  return {
    sessions,
    steps: steps.count,
    due_to_ended_ms: { p50: steps.p50, p95: steps.p95 },
    statements_per_step: round(statements / steps.count),
    statements_per_second_per_session: round(statements / secs / sessions),
    idle_statements_per_second: round(idlePerSec),
    steps_per_second: round(steps.count / secs),
    cores_used: round(used.reduce((all, [, ms]) => all + ms, 0) / 1000 / secs),
    cpu_ms_per_step: Object.fromEntries(cpu) as Record<string, number>,
  };
}

async function readSteps(
  database: pg.Pool,
  { since, secs, everySecs }: { since: Date; secs: number; everySecs: number },
) {
  const { rows } = await database.query<{ count: number; p50: number; p95: number }>(
    `select count(*)::int as count, percentile_cont(0.5) within group (order by ms) as p50,
       percentile_cont(0.95) within group (order by ms) as p95
     from (select effect_at, 1000 * (extract(epoch from effect_at
             - lag(effect_at) over (partition by task_id order by index, try))::float8 - $3::float8) as ms
           from steps where effect_at >= $1::timestamptz - make_interval(secs => 2 * $3::float8) and status = 'success') as ended
     where effect_at >= $1 and effect_at < $1 + make_interval(secs => $2::float8)`,
    [since, secs, everySecs],
  );
  const { count, p50, p95 } = rows[0] ?? { count: 0, p50: 0, p95: 0 };
  return { count, p50: round(p50), p95: round(p95) };
}

/** So far, in milliseconds, of all processes of each kind together. */
function cpuOf(stack: Stack): Record<string, number> {
  const { processes, services } = stack.status();
  const sums: Record<string, number> = {};
  for (const [name, { pid }] of Object.entries({ ...processes, ...services })) {
    const kind = name.replace(/-\d+$/, '');
    sums[kind] = (sums[kind] ?? 0) + (pid ? treeCpuMs(pid, { withEnded: true }) : 0);
  }
  return sums;
}

type Measured = Awaited<ReturnType<typeof measurePhase>>;

const ratiosOf = (few: Measured, many: Measured) => ({
  p50: round(many.due_to_ended_ms.p50 / few.due_to_ended_ms.p50),
  p95: round(many.due_to_ended_ms.p95 / few.due_to_ended_ms.p95),
  statements_per_step: round(many.statements_per_step / few.statements_per_step),
  statements_per_second_per_session: round(
    many.statements_per_second_per_session / few.statements_per_second_per_session,
  ),
});

const round = (value: number) => Math.round(value * 100) / 100;
