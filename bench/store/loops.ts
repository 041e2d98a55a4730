import { setTimeout as sleep } from 'node:timers/promises';
import { migrate, openStore } from '@pilothouse/store';
import { looks } from '@pilothouse/store/testing/looks';
import { seedSessions } from '@pilothouse/store/testing/stored-sessions';
import pg from 'pg';
import { figuresOf, round } from '../../testkit/percentiles.ts';
import { createStackOfProcess } from '../../testkit/stack/stack-of-process.ts';
import { treeCpuMs } from '../browser/process-tree.ts';

type Size = { stored: number; live: number; agents: number; secs: number; times: number; settleMs?: number };

const recordedEvery = 10;
const waiting = 5;

/**
 * What agents ask of PostgreSQL while there is nothing to do, in a database with many sessions stored and few live: the time
 * of each look, alone on one connection; and what all processes of PostgreSQL take of a core while real agents run over it.
 */
export async function measureLoops({ stored, live, agents, secs, times, settleMs = 8000 }: Size) {
  const stack = createStackOfProcess(`loops-${process.pid}`);
  try {
    await stack.services.up();
    const url = stack.services.databaseUrl();
    await migrate(url);
    await seedSessions(url, { stored, live, recordedEvery, waiting });
    const look_ms = await measureLooks(url, times);
    await leaveNothingToDo(url);
    await stack.up({ port: 0, servers: 0, agents, browsers: 0, disableAuth: true });
    await sleep(settleMs);
    const share = await shareOfCore(stack.services.status().postgres?.pid ?? 0, secs);
    return { stored, live, agents, secs, look_ms, slowest: slowestOf(look_ms), postgres_percent_of_a_core: share };
  } finally {
    await stack.down({ wipe: true });
  }
}

type Look = { p50: number; p90: number; cpu: number };

/** `cpu`: what the connection's process took of a core for one, which tells less of what else the machine does. */
async function measureLooks(url: string, times: number): Promise<Record<string, Look>> {
  const store = openStore({ url, blobDir: '/nonexistent', poolSize: 1, onError: () => {} });
  const found: Record<string, Look> = {};
  try {
    const { rows } = await store.transaction(({ client }) => client.query('select pg_backend_pid() as pid'));
    const { pid } = rows[0];
    for (const [name, look] of Object.entries(looks)) {
      // PostgreSQL plans a prepared statement a few times before it keeps a plan.
      for (let i = 0; i < 10; i += 1) await look(store);
      const before = treeCpuMs(pid);
      const took: number[] = [];
      for (let i = 0; i < times; i += 1) {
        const begun = performance.now();
        await look(store);
        took.push(performance.now() - begun);
      }
      const { p50, p90 } = figuresOf(took);
      found[name] = { p50, p90, cpu: Math.round((100 * (treeCpuMs(pid) - before)) / times) / 100 };
    }
    return found;
  } finally {
    await store.close();
  }
}

const slowestOf = (looked: Record<string, Look>) =>
  Object.entries(looked).reduce((slowest, [name, { p50 }]) => (p50 > slowest.p50 ? { name, p50 } : slowest), {
    name: '',
    p50: 0,
  });

/** No session is recorded, and no task waits for a browser: there is no host that could be asked. */
async function leaveNothingToDo(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('delete from recorders');
    await client.query('delete from browser_waits');
    await client.query(`update sessions set recording = false where browser <> 'cold'`);
    await client.query(`update sessions set browser = 'cold' where browser <> 'cold'
      and id in (select session_id from browsers where host_id is null)`);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

async function shareOfCore(pid: number, secs: number): Promise<number> {
  const cpu = () => treeCpuMs(pid, { withEnded: true });
  const [began, before] = [performance.now(), cpu()];
  await sleep(secs * 1000);
  return round((100 * (cpu() - before)) / (performance.now() - began));
}
