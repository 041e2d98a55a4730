import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import type pg from 'pg';
import { type Installation, openInstallation } from '../../testkit/installation.ts';
import { until } from '../../testkit/until.ts';
import { type Calls, countFromNowOn, openAdmin, openUncounted, sentWhile, sum } from './sent-statements.ts';

const settleMs = 6000;
const commit = /^commit/i;
/** What keeps the picture and the state that a step brings: its observation and frame, the browser's state, its profile. */
const ofPictureOrState = /insert into observations\b|recorded_frames|\bsealed_state\b|\bprofiles\b/;

/** Whether tasks and browsers are still this agent’s: asked again and again while steps run, so a slow machine has more of it. */
const whileItRuns =
  /^select from tasks t where t\.id = \$1 and t\.execution_id = \$2|^select t\.id is not null as held|b\.session_id = any\(/;

/**
 * What an agent asks of PostgreSQL, counted by PostgreSQL: an idle one in a second, beside one idle host and no server; and
 * one step, as the difference between a task of many steps and a task of one.
 */
export async function measureStatements({ secs, count }: { secs: number; count: number }) {
  const installation = await openInstallation(`statements-${process.pid}`);
  const { stack } = installation;
  const admin = openAdmin(stack.services);
  try {
    await countFromNowOn(stack.services, admin);
    const [one, many] = await countSteps(installation, admin, count);
    await stack.kill('server-1');
    await sleep(settleMs);
    const idle = await sentWhile(admin, () => sleep(secs * 1000));
    const perSec = (all: number) => Math.round((10 * all) / secs) / 10;
    const step = stepOf({ one, many, idle, count });
    if (process.env.BENCH_STATEMENTS) for (const [query, calls] of step) console.error(calls, query.slice(0, 170));
    return {
      secs,
      idle_agent_per_second: { statements: perSec(sum(idle)), commits: perSec(sum(idle, commit)) },
      step: {
        statements: sum(step),
        of_picture_and_state: sum(step, ofPictureOrState),
        while_it_runs: sum(step, whileItRuns),
        commits: sum(step, commit),
      },
    };
  } finally {
    await admin.end();
    await installation.close();
  }
}

/** The statements of a task of one step, and of a task that has `count` more. */
async function countSteps(
  { client, shop, stack }: Installation,
  admin: pg.Pool,
  count: number,
): Promise<[Calls, Calls]> {
  const { session } = await client.createSession();
  const press: Step = { action: 'press', key: 'Shift' };
  const database = openUncounted(stack.services);
  async function run(steps: Step[]): Promise<void> {
    const { task_id: id } = await client.sendChat({ prompt: 'press', session_id: session.id, steps });
    let status: string | undefined;
    await until(async () => {
      // Not by our interface, which would ask PostgreSQL too.
      const { rows } = await database.query<{ status: string }>('select status from tasks where id = $1', [id]);
      status = rows[0]?.status;
      return status === 'success' || status === 'failed';
    }, 120_000);
    if (status !== 'success') throw new Error(`the task is ${status}`);
  }
  try {
    await run([{ action: 'navigate', url: shop.url }]);
    const one = await sentWhile(admin, () => run([press]));
    return [one, await sentWhile(admin, () => run(Array.from({ length: count + 1 }, () => press)))];
  } finally {
    await database.end();
  }
}

/** What an idle agent sends too is not of the step, and neither is what came less than once in two steps. */
function stepOf({ one, many, idle, count }: { one: Calls; many: Calls; idle: Calls; count: number }): Calls {
  const calls = [...many].map(([query, all]) => [query, Math.round((all - (one.get(query) ?? 0)) / count)] as const);
  return new Map(calls.filter(([query, each]) => each > 0 && !idle.has(query)));
}
