// PostgreSQL, NATS or all agents are away for longer than any lease, while tasks run and people drive. No browser may end, no
// task may be lost, no step may be repeated without a record, and work goes on when the part is back.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@pilothouse/sdk';
import { chromiumPids } from '../../apps/browser/testing/processes.ts';
import { type Site, startCountingSite } from '../../testkit/pages/counter.ts';
import { figuresOf } from '../../testkit/percentiles.ts';
import { until } from '../../testkit/stack/daemon.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { checkTasks } from '../tasks/check.ts';
import { askAndFollow, insist } from '../tasks/person.ts';
import { withDatabase } from '../tasks/run.ts';
import type { Script } from '../tasks/script.ts';
import { watchStaleWrites } from '../tasks/stale-writes.ts';
import { type Driven, takeOver } from './driven.ts';
import { type OutagePart, type OutageWay, takeAway } from './parts.ts';

export type Outage = { part: OutagePart; secs: number; way: OutageWay };
export type OutageOptions = {
  stack: Stack;
  tasks: number;
  takeovers: number;
  outages: Outage[];
  /** How many forms each task sends. */
  forms: number;
  agents?: number;
  browsers?: number;
};

/** Beyond this it does not go on. */
const goOnMs = 60_000;
const afterwardsMs = 300_000;

export async function sufferOutages({ stack, agents = 2, browsers = 2, ...size }: OutageOptions) {
  const [port, site] = await Promise.all([freePort(), startCountingSite()]);
  const places = Math.ceil((size.tasks + size.takeovers) / browsers) + 1;
  // What is launched ahead would be taken for the browser of a session.
  Object.assign(process.env, { HOST_CAPACITY: String(places), HOST_WARM: '0' });
  Object.assign(process.env, { QUOTA_OPEN_SESSIONS: '1000', QUOTA_OPEN_TASKS: '1000' });
  try {
    await stack.up({ port, servers: 1, agents, browsers, disableAuth: true, sites: [site.url] });
    await withDatabase(stack, watchStaleWrites);
    const client = createClient({ baseUrl: stack.status().base_urls[0] ?? '' });
    return await run({ stack, site, client, ...size });
  } finally {
    await site.close();
  }
}

type Run = Omit<OutageOptions, 'agents' | 'browsers'> & { site: Site; client: Client };

async function run({ stack, site, client, tasks, takeovers, outages, forms }: Run) {
  const wrong: string[] = [];
  const outageMs = outages.reduce((sum, { secs }) => sum + secs * 1000, 0);
  const driven = await Promise.all(Array.from({ length: takeovers }, (_, i) => takeOver(client, site, `driven-${i}`)));
  const names = Array.from({ length: tasks }, (_, i) => `task-${i}`);
  const following = names.map((name) =>
    askAndFollow(client, name, scriptOf(site.url, name, forms), outageMs + outages.length * goOnMs + afterwardsMs),
  );
  const met: object[] = [];
  for (const outage of outages) {
    const figures = await sufferOne(outage, { stack, site, names, driven, wrong });
    met.push(figures);
    console.error(JSON.stringify(figures));
  }
  const all = await Promise.all(following);
  wrong.push(...(await withDatabase(stack, (db) => checkTasks(db, site, all))));
  const interrupted = await withDatabase(stack, async (db) => {
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count from steps where status = 'interrupted'`,
    );
    return rows[0]?.count ?? 0;
  });
  const ids = [...all.map(({ sessionId }) => sessionId), ...driven.map(({ sessionId }) => sessionId)];
  await Promise.all(ids.map((id) => insist(() => client.deleteSession({ id }), AbortSignal.timeout(goOnMs))));
  const isEmpty = await until(async () => (await browsersOf(stack)).length === 0, 30_000, 200);
  if (!isEmpty) wrong.push(`${(await browsersOf(stack)).length} browsers are left after all sessions were closed`);
  const success = all.filter(({ ended }) => ended === 'success').length;
  return { tasks, success, takeovers, outages: met, interrupted_attempts: interrupted, wrong };
}

type Suffering = { stack: Stack; site: Site; names: string[]; driven: Driven[]; wrong: string[] };

async function sufferOne({ part, secs, way }: Outage, { stack, site, names, driven, wrong }: Suffering) {
  const what = `${part} ${way} for ${secs} s`;
  const settledAt = Date.now();
  const hasSent = (name: string) =>
    site.sent.some(({ path, at }) => path.startsWith(`/${name}/`) && at.getTime() >= settledAt);
  const isAtWork = () => names.every(hasSent);
  if (!(await until(isAtWork, goOnMs, 100))) wrong.push(`before ${what}: not every task is at work`);
  const before = await browsersOf(stack);
  const bringBack = await takeAway(stack, part, way);
  await sleep(secs * 1000);
  const during = new Set(await browsersOf(stack));
  await bringBack();
  const backAt = Date.now();
  const inputMs = await Promise.all(driven.map((one) => one.press(goOnMs)));
  const stepMs = await nextSteps(stack, { names, backAt });
  if (stepMs.length < names.length) wrong.push(`${what}: ${names.length - stepMs.length} tasks did not go on`);
  const after = new Set(await browsersOf(stack));
  const ended = before.filter((pid) => !during.has(pid) || !after.has(pid));
  if (ended.length > 0) wrong.push(`${what}: ${ended.length} of ${before.length} browsers ended`);
  if (before.length < names.length + driven.length) wrong.push(`before ${what}: only ${before.length} browsers`);
  for (const one of driven) wrong.push(...(await one.check(what)));
  return {
    part,
    way,
    secs,
    browsers: before.length,
    ended: ended.length,
    first_step_after_ms: Math.min(...stepMs),
    step_of_each_task_after_ms: figuresOf(stepMs),
    input_of_people_after_ms: figuresOf(inputMs),
  };
}

/** For each task, after how many ms it finished its first step since then. */
async function nextSteps(stack: Stack, { names, backAt }: { names: string[]; backAt: number }): Promise<number[]> {
  let found: number[] = [];
  await withDatabase(stack, async (db) => {
    const look = async () => {
      const { rows } = await db.query<{ ms: number }>(
        `select round(1000 * extract(epoch from min(s.effect_at) - $2::timestamptz))::int as ms
         from tasks t join steps s on s.task_id = t.id
         where t.prompt = any ($1) and s.status = 'success' and s.effect_at >= $2 group by t.id`,
        [names, new Date(backAt)],
      );
      found = rows.map(({ ms }) => ms);
      return found.length === names.length;
    };
    await until(look, goOnMs, 100);
  });
  return found;
}

/** The browsers of the stack's hosts, by the first process of each. */
async function browsersOf(stack: Stack): Promise<number[]> {
  const hosts = Object.entries(stack.status().processes).filter(([name]) => name.startsWith('browser'));
  const pids = await Promise.all(hosts.map(([name, { pid }]) => chromiumPids(`pilothouse-browser-${name}-${pid}/`)));
  return pids.flat();
}

/** Sends one form after the other, with a pause after each. */
function scriptOf(url: string, name: string, forms: number): Script {
  const script: Script = { steps: [], sendings: [] };
  for (let i = 1; i <= forms; i += 1) {
    const path = `/${name}/${i}`;
    script.steps.push({ action: 'navigate', url: `${url}${path}` }, { action: 'click', target: 'Send' });
    script.sendings.push({ path, index: script.steps.length, isIrreversible: false });
    script.steps.push({ action: 'wait', for: { secs: 1 } });
  }
  return script;
}
