// Migrates the database.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { withDeadline } from './deadline.ts';
import { readMigrations } from './migration-files.ts';
import { runMigrations } from './migration-runner.ts';

type Options = {
  /** For the connection, for the wait for other migrations, and for each step that names no time of its own. */
  timeoutMs?: number;
  /** Told what is done, line by line. */
  log?: (line: string) => void;
  /** The folder of the migrations. */
  folder?: string;
};

const migrationsDir = join(import.meta.dirname, 'migrations');
/** Advisory lock; used for nothing else in this database. */
const lockKey = 7_464_102;
const daysAhead = 30;
const connectMs = 5000;
const tableLockMs = 15_000;
const farewellMs = 1000;

/**
 * Brings the database to the current schema. Several processes may start at once: one works, and the others wait and
 * then find nothing to do. One that was interrupted goes on where it stopped when it is run again.
 */
export async function migrate(
  url: string,
  { timeoutMs = 60_000, log = () => {}, folder = migrationsDir }: Options = {},
) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs, keepAlive: true });
  const broken = new Promise<never>((_, reject) => client.on('error', reject));
  const work = async () => {
    await withDeadline(takeLock(client, timeoutMs), timeoutMs, 'the wait for another migration, or for the database,');
    // On the same connection: if it breaks, both the lock and the work end.
    await runMigrations(await readMigrations(folder), { client, log, timeoutMs, tableLockMs });
    if (folder === migrationsDir) await ensurePartitions(client, timeoutMs);
  };
  try {
    await Promise.race([work(), broken]);
  } finally {
    // This also releases the lock. A silent database does not answer the farewell, so it is not waited for.
    await Promise.race([client.end(), sleep(farewellMs, undefined, { ref: false })]);
  }
}

/**
 * Polls instead of waiting in the database: an index that is built concurrently waits for every open statement, and would
 * so wait for processes that wait for this lock.
 */
async function takeLock(client: pg.Client, timeoutMs: number): Promise<void> {
  // Later than the caller gives up, whose words say more.
  const late = AbortSignal.timeout(timeoutMs + 100);
  await client.connect();
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lockKey]);
    if (rows[0]?.taken) return;
    await sleep(100, undefined, { signal: late });
  }
}

async function ensurePartitions(client: pg.Client, timeoutMs: number): Promise<void> {
  await client.query(`set statement_timeout = ${timeoutMs}; set lock_timeout = ${tableLockMs}`);
  const made = client.query('select ensure_event_partitions(current_date - 1, current_date + $1::int)', [daysAhead]);
  await withDeadline(made, timeoutMs, 'making partitions of the event log');
}
