import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createEmptyDatabase } from '@pilothouse/store/testing';
import pg from 'pg';
import { root } from '../scripts/dev/place.ts';

export type MigrateResult = { rounds: number; starts: number; failed: number; schemas: Set<string> };

/** Starts the migration command many times at once on an empty database, again and again. */
export async function raceMigrations({
  rounds,
  starters,
}: {
  rounds: number;
  starters: number;
}): Promise<MigrateResult> {
  const result: MigrateResult = { rounds, starts: 0, failed: 0, schemas: new Set() };
  for (let round = 0; round < rounds; round++) {
    const database = await createEmptyDatabase();
    try {
      const codes = await Promise.all(Array.from({ length: starters }, () => migrateCommand(database.url)));
      result.starts += codes.length;
      result.failed += codes.filter((code) => code !== 0).length;
      result.schemas.add(await schemaDigest(database.url));
    } finally {
      await database.close();
    }
  }
  return result;
}

function migrateCommand(url: string): Promise<number> {
  const child = spawn(process.execPath, ['packages/store/src/migrate.main.ts'], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 120_000,
  });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

/** One value for all that the catalogue says of the schema: tables, columns, indexes, functions, invalid indexes. */
async function schemaDigest(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(`
      select 'column' as what, table_schema || '.' || table_name as place, column_name || ' ' || data_type as detail
        from information_schema.columns where table_schema in ('public', 'dbos')
      union all
      select 'index', c.relname, pg_get_indexdef(i.indexrelid) || ' ' || i.indisvalid
        from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('public', 'dbos')
      union all
      select 'function', p.proname, pg_get_function_identity_arguments(p.oid)
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('public', 'dbos')
      union all
      select 'migration', name, '' from migrations
      order by 1, 2, 3`);
    if (rows.length < 100) throw new Error(`a schema of ${rows.length} parts cannot be whole`);
    return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
  } finally {
    await client.end();
  }
}
