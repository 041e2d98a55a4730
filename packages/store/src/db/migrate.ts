// Migrates the database.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import pg from 'pg';

const migrationsDir = join(import.meta.dirname, 'migrations');
/** Advisory lock; used for nothing else in this database. */
const lockKey = 7_464_102;
const daysAhead = 30;
const connectMs = 5000;
const tableLockMs = 15_000;
const farewellMs = 1000;

/**
 * Brings the database to the current schema. Several processes may start at once: one works, and the others wait and
 * then find nothing to do.
 */
export async function migrate(url: string, { timeoutMs = 60_000 } = {}): Promise<void> {
  const late = AbortSignal.timeout(timeoutMs);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs });
  const failed = new Promise<never>((_, reject) => {
    // The lock ends with its connection.
    client.on('error', reject);
    late.addEventListener('abort', () => reject(new Error(`the migration did not end within ${timeoutMs} ms`)));
  });
  try {
    await Promise.race([migrateAlone(client, url, timeoutMs, late), failed]);
  } finally {
    // This also releases the lock. A silent database does not answer the farewell, so it is not waited for.
    await Promise.race([client.end(), sleep(farewellMs, undefined, { ref: false })]);
  }
}

async function migrateAlone(client: pg.Client, url: string, timeoutMs: number, late: AbortSignal): Promise<void> {
  await client.connect();
  await takeLock(client, late);
  await migrateFiles(url, timeoutMs);
}

/**
 * Polls instead of waiting in the database: an index that is built concurrently waits for every open statement, and would
 * so wait for processes that wait for this lock.
 */
async function takeLock(client: pg.Client, late: AbortSignal): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lockKey]);
    if (rows[0]?.taken) return;
    await sleep(100, undefined, { signal: late });
  }
}

async function migrateFiles(url: string, timeoutMs: number): Promise<void> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: connectMs,
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    // Every later statement waits behind one that waits for a table: better to fail and be run again.
    lock_timeout: tableLockMs,
  });
  // The next statement fails too, and reports it.
  pool.on('error', () => {});
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const migrator = new Migrator({
      db,
      provider: sqlFiles,
      migrationTableName: 'migrations',
      migrationLockTableName: 'migrations_lock',
    });
    const { error } = await migrator.migrateToLatest();
    if (error) throw error;
    await sql`select ensure_event_partitions(current_date - 1, current_date + ${daysAhead}::int)`.execute(db);
  } finally {
    await db.destroy();
  }
}

/** Each file is one migration. New files run in one transaction, in the order of their names. */
const sqlFiles: MigrationProvider = {
  async getMigrations() {
    const files = (await readdir(migrationsDir)).filter((file) => file.endsWith('.sql')).sort();
    const entries = await Promise.all(
      files.map(async (file) => {
        const text = await readFile(join(migrationsDir, file), 'utf8');
        return [file, { up: async (db: Kysely<unknown>) => void (await sql.raw(text).execute(db)) }] as const;
      }),
    );
    return Object.fromEntries(entries);
  },
};
