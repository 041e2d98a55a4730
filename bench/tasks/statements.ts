import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import pg from 'pg';
import { type Installation, openInstallation } from '../../testkit/installation.ts';

type Counted = { statements: number; commits: number };

const settleMs = 6000;

/**
 * What an agent asks of PostgreSQL, counted by PostgreSQL: an idle one in a second, beside one idle host and no server; and
 * one step, as the difference between a task of many steps and a task of one.
 */
export async function measureStatements({ secs, count }: { secs: number; count: number }) {
  const installation = await openInstallation(`statements-${process.pid}`);
  const { stack } = installation;
  const admin = new pg.Pool({ connectionString: stack.services.adminDatabaseUrl(), max: 1 });
  // The restart below breaks its connection.
  admin.on('error', () => {});
  try {
    await admin.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
    await stack.services.kill('postgres');
    await stack.services.start('postgres');
    await admin.query('create extension if not exists pg_stat_statements');
    const step = await stepOf(installation, admin, count);
    await stack.kill('server-1');
    await sleep(settleMs);
    const idle = await countedWhile(admin, () => sleep(secs * 1000));
    const perSec = (all: number) => Math.round((10 * all) / secs) / 10;
    return {
      secs,
      idle_agent_per_second: { statements: perSec(idle.statements), commits: perSec(idle.commits) },
      step,
    };
  } finally {
    await admin.end();
    await installation.close();
  }
}

async function stepOf({ client, shop }: Installation, admin: pg.Pool, count: number): Promise<Counted> {
  const { session } = await client.createSession();
  const press: Step = { action: 'press', key: 'Shift' };
  async function run(steps: Step[]): Promise<void> {
    const { task_id: id } = await client.sendChat({ prompt: 'press', session_id: session.id, steps });
    let status = '';
    for (
      const end = Date.now() + 120_000;
      Date.now() < end && !['success', 'failed'].includes(status);
      await sleep(200)
    )
      ({ status } = (await client.getTaskStatus({ id })).status);
    if (status !== 'success') throw new Error(`the task is ${status}`);
  }
  await run([{ action: 'navigate', url: shop.url }]);
  const one = await countedWhile(admin, () => run([press]));
  const many = await countedWhile(admin, () => run(Array.from({ length: count + 1 }, () => press)));
  const perStep = (key: keyof Counted) => Math.round((10 * (many[key] - one[key])) / count) / 10;
  return { statements: perStep('statements'), commits: perStep('commits') };
}

/** Of the role that our processes have. */
async function countedWhile(admin: pg.Pool, work: () => Promise<unknown>): Promise<Counted> {
  await admin.query('select pg_stat_statements_reset()');
  await work();
  const { rows } = await admin.query<{ query: string; calls: number }>(
    `select query, calls::int from pg_stat_statements s join pg_roles r on r.oid = s.userid
     where r.rolname = 'pilothouse' order by calls desc`,
  );
  if (process.env.BENCH_STATEMENTS)
    for (const { query, calls } of rows.slice(0, 40)) console.error(calls, query.slice(0, 170).replace(/\s+/g, ' '));
  const sum = (isIt: (query: string) => boolean) =>
    rows.reduce((all, { query, calls }) => all + (isIt(query) ? calls : 0), 0);
  return { statements: sum(() => true), commits: sum((query) => /^commit/i.test(query)) };
}
