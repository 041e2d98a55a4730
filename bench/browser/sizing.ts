// How many sessions with real browsers one machine carries, each with a step every few seconds: a whole installation, in which
// sessions are added until a step waits, watched and not watched.

import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import { type Client, createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { round } from '../../testkit/percentiles.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { until } from '../../testkit/until.ts';
import { treeBrowsersPssMib, treeCpuMs } from './process-tree.ts';
import { openBenchSite } from './site.ts';
import { hundredths } from './watched.ts';

type Plan = {
  /** One after the other, each more than the one before. */
  sessions: number[];
  everySecs: number;
  /** How many steps each session takes while it is measured, once watched and once not. */
  rounds: number;
  /** Also where the machine carries no more. */
  isToTheEnd?: boolean;
};
type Parts = { stack: Stack; client: Client; database: pg.Pool; url: string };
type Row = Awaited<ReturnType<typeof measureRow>>;

/** Of the latency with the fewest sessions: beyond it the machine carries no more. */
const mostRatio = 1.5;
/** Of all processors: then they are ours alone. */
const busyShare = 0.95;
/** A chat has 200 steps at most: the page, and then in turn a pause and a press. */
const presses = 99;
const openMs = 120_000;
const openedAtOnce = 2;

export async function measureSizing(plan: Plan) {
  const most = String(Math.max(...plan.sessions) + 2);
  const settings = {
    HOST_CAPACITY: most,
    HOST_MAX_SESSIONS: most,
    // What is launched ahead would be weighed with the sessions.
    HOST_WARM: '0',
    QUOTA_OPEN_SESSIONS: '10000',
    QUOTA_OPEN_TASKS: '10000',
    LOG_LEVEL: 'warn',
  };
  Object.assign(process.env, settings);
  const site = await openBenchSite();
  try {
    return await withStack(`sizing-${process.pid}`, async (stack) => {
      const port = await freePort();
      await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites: [site.url] });
      const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
      const database = new pg.Pool({ connectionString: stack.services.databaseUrl(), max: 1 });
      try {
        return await ramp({ stack, client, database, url: `${site.url}/counter` }, plan);
      } finally {
        await database.end();
      }
    });
  } finally {
    for (const name of Object.keys(settings)) delete process.env[name];
    await site.close();
  }
}

async function ramp(parts: Parts, { sessions, everySecs, rounds, isToTheEnd = false }: Plan) {
  const opened: string[] = [];
  const rows: Row[] = [];
  for (const count of sessions) {
    while (opened.length < count) {
      const wanted = Math.min(openedAtOnce, count - opened.length);
      opened.push(...(await Promise.all(Array.from({ length: wanted }, () => openSession(parts)))));
    }
    const tasks = await startAll(parts, opened, everySecs);
    await sleep(2 * everySecs * 1000);
    const measured = { sessions: count, everySecs, secs: rounds * everySecs };
    rows.push(await measureRow(parts, { ...measured, isWatched: false }));
    const leave = await watchAll(parts, opened);
    await sleep(everySecs * 1000);
    rows.push(await measureRow(parts, { ...measured, isWatched: true }));
    leave();
    await Promise.all(tasks.map((id) => parts.client.cancelTask({ id })));
    await Promise.all(tasks.map((id) => untilEnded(parts, id)));
    for (const row of rows.slice(-2)) console.error(`bench: ${JSON.stringify(row)}`);
    if (!isToTheEnd && rows.slice(-2).every((row) => !isCarried(row, rows))) break;
  }
  console.error(tableOf(rows));
  // Where much of it was used by others, the latencies say little of ours.
  const others = Math.max(...rows.map(({ machine_busy, cpu_share }) => machine_busy - cpu_share));
  const mostOf = (isWatched: boolean) =>
    Math.max(
      0,
      ...rows.filter((row) => row.is_watched === isWatched && isCarried(row, rows)).map((row) => row.sessions),
    );
  const carried = { not_watched: mostOf(false), watched: mostOf(true) };
  return { every_secs: everySecs, steps_of_each: rounds, carried, most_used_by_others: hundredths(others), rows };
}

/** Beside the fewest sessions, watched or not as this one. */
function isCarried(row: Row, rows: Row[]): boolean {
  const fewest = rows.find(({ is_watched }) => is_watched === row.is_watched) ?? row;
  return row.step_ms.p95 <= mostRatio * fewest.step_ms.p95 && row.cpu_share < busyShare;
}

/** With its page open. */
async function openSession(parts: Parts): Promise<string> {
  const steps: Step[] = [{ action: 'navigate', url: parts.url }];
  const { session_id, task_id } = await parts.client.sendChat({ prompt: 'open', steps });
  await untilEnded(parts, task_id);
  return session_id;
}

async function untilEnded({ client }: Parts, id: string): Promise<void> {
  const open = ['pending', 'running'];
  const hasEnded = async () => !open.includes((await client.getTaskStatus({ id })).status.status);
  await until(hasEnded, openMs);
}

/** Evenly spread over the time between two steps. */
async function startAll({ client, url }: Parts, ids: string[], everySecs: number): Promise<string[]> {
  const pressed = Array.from({ length: presses }, (): Step[] => [
    { action: 'wait', for: { secs: everySecs } },
    { action: 'click', target: 'Count' },
  ]);
  const steps: Step[] = [{ action: 'navigate', url }, ...pressed.flat()];
  const tasks: string[] = [];
  for (const session_id of ids) {
    tasks.push((await client.sendChat({ prompt: 'count', session_id, steps, max_steps: 200 })).task_id);
    await sleep((1000 * everySecs) / ids.length);
  }
  return tasks;
}

/** A viewer for each session, who sees a picture of it. */
async function watchAll({ client }: Parts, ids: string[]): Promise<() => void> {
  const leaving = new AbortController();
  const seen = ids.map(async (id) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const watching = (async () => {
      for await (const event of client.followSession({ id }, { signal: leaving.signal }))
        if (event.type === 'frame') resolve();
    })();
    // It ends with the signal.
    watching.catch(() => {});
    await Promise.race([promise, sleep(openMs, undefined, { ref: false })]);
  });
  await Promise.all(seen);
  return () => leaving.abort();
}

type Measured = { sessions: number; everySecs: number; secs: number; isWatched: boolean };

async function measureRow({ stack, database }: Parts, { sessions, everySecs, secs, isWatched }: Measured) {
  const before = { ours: cpuOf(stack), machine: machineTimes() };
  const [begun] = (await database.query<{ at: Date }>('select clock_timestamp() as at')).rows;
  await sleep(secs * 1000);
  const after = { ours: cpuOf(stack), machine: machineTimes() };
  const coresOf = (part: string) => hundredths(((after.ours[part] ?? 0) - (before.ours[part] ?? 0)) / 1000 / secs);
  const cores = Object.fromEntries(Object.keys(after.ours).map((part) => [part, coresOf(part)]));
  const allCores = Object.values(cores).reduce((sum, one) => sum + one, 0);
  const total = after.machine.total - before.machine.total;
  const hostPid = stack.status().processes['browser-1']?.pid ?? 0;
  return {
    sessions,
    is_watched: isWatched,
    step_ms: await readSteps(database, { since: begun?.at ?? new Date(), secs, everySecs }),
    cores,
    cpu_share: hundredths(allCores / cpus().length),
    /** Of all processes on the machine: ours, the viewers of this bench, and those of others. */
    machine_busy: hundredths(1 - (after.machine.idle - before.machine.idle) / total),
    pss_mib: Math.round(treeBrowsersPssMib(hostPid)),
  };
}

/** From when a press was due, which is some seconds after the one before it, until its effect was committed. */
async function readSteps(
  database: pg.Pool,
  { since, secs, everySecs }: { since: Date; secs: number; everySecs: number },
) {
  const { rows } = await database.query<{ count: number; p50: number; p95: number }>(
    `select count(*)::int as count, percentile_cont(0.5) within group (order by ms) as p50,
       percentile_cont(0.95) within group (order by ms) as p95
     from (select effect_at, 1000 * (extract(epoch from effect_at
             - lag(effect_at) over (partition by task_id order by index, try))::float8 - $3::float8) as ms
           from steps where index % 2 = 1 and status = 'success') as pressed
     where ms is not null and effect_at >= $1 and effect_at < $1 + make_interval(secs => $2::float8)`,
    [since, secs, everySecs],
  );
  const { count, p50, p95 } = rows[0] ?? { count: 0, p50: 0, p95: 0 };
  return { count, p50: round(p50), p95: round(p95) };
}

/** So far, in milliseconds; the browsers are their host's. */
function cpuOf(stack: Stack): Record<string, number> {
  const { processes, services } = stack.status();
  const all = Object.entries({ ...processes, ...services });
  return Object.fromEntries(
    all.map(([name, { pid }]) => [name.replace(/-\d+$/, ''), pid ? treeCpuMs(pid, { withEnded: true }) : 0]),
  );
}

function machineTimes(): { total: number; idle: number } {
  const columns =
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.trim().split(/\s+/).slice(1, 9).map(Number) ?? [];
  const [, , , idle = 0, disk = 0] = columns;
  return { total: columns.reduce((sum, ticks) => sum + ticks, 0), idle: idle + disk };
}

const tableOf = (rows: Row[]): string =>
  [
    '| Sessions | Watched | Step p50, ms | p95, ms | Processors, ours | Processors, all | PSS of browsers, MiB |',
    '| --: | --- | --: | --: | --: | --: | --: |',
    ...rows.map(({ sessions, is_watched, step_ms, cpu_share, machine_busy, pss_mib }) => {
      const percent = (share: number) => `${Math.round(100 * share)} %`;
      const cells = [sessions, is_watched ? 'yes' : 'no', step_ms.p50, step_ms.p95];
      return `| ${[...cells, percent(cpu_share), percent(machine_busy), pss_mib].join(' | ')} |`;
    }),
  ].join('\n');
