import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import pg from 'pg';

const migrationsDir = join(import.meta.dirname, 'migrations');
/** Any number that nothing else in this database locks. */
const lockKey = 7_464_102;
const daysAhead = 30;

/**
 * Brings the database to the present schema, ours and that of the durable engine. Any number may start at once: one
 * works and the others wait their turn, then find nothing to do.
 */
export async function migrate(url: string, { timeoutMs = 60_000 } = {}): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    await takeLock(client, timeoutMs);
    await migrateOurs(url);
    await DBOS.migrate(url);
  } finally {
    // The lock belongs to the connection and goes with it.
    await client.end();
  }
}

/**
 * Asks again and again instead of waiting in the database: the engine builds indexes concurrently, which waits for
 * every open statement, and so for those who would wait for this lock.
 */
async function takeLock(client: pg.Client, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lockKey]);
    if (rows[0]?.taken) return;
    if (performance.now() > end) throw new Error('another migration is still running');
    await sleep(100);
  }
}

async function migrateOurs(url: string): Promise<void> {
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1 }) }),
  });
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

/** Each file is one migration; all that are new run in one transaction, in the order of their names. */
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
