import { type SpawnOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createEmptyDatabase } from '@pilothouse/store/testing';
import pg from 'pg';
import { root } from '../../testkit/stack/folders.ts';

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

export type KilledResult = { kills: number; runs: number; schema: string };

/**
 * Starts the migration on an empty database and kills it after a while that grows, again and again, until one ends by
 * itself. In which step it is hit is a matter of chance.
 */
export async function killMigrations({ firstMs, growMs }: { firstMs: number; growMs: number }): Promise<KilledResult> {
  const database = await createEmptyDatabase();
  try {
    for (let runs = 1, kills = 0; ; runs += 1) {
      const code = await migrateCommand(database.url, { killAfterMs: firstMs + growMs * runs });
      if (code === 0) return { kills, runs, schema: await schemaDigest(database.url) };
      kills += 1;
      if (runs === 100) throw new Error('a hundred runs did not migrate the database');
    }
  } finally {
    await database.close();
  }
}

/** The command as people run it; or only its program, which can be killed. */
function migrateCommand(url: string, { killAfterMs }: { killAfterMs?: number } = {}): Promise<number> {
  const options = {
    cwd: root,
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: killAfterMs ?? 120_000,
    killSignal: 'SIGKILL',
  } satisfies SpawnOptions;
  const child = killAfterMs
    ? spawn(process.execPath, ['packages/store/src/migrate.main.ts'], options)
    : spawn('npm', ['run', '--silent', 'migrate'], options);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** One value for all that the catalogue says of the schema, word by word. */
async function schemaDigest(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(catalogue);
    if (rows.length < 100) throw new Error(`a schema of ${rows.length} parts cannot be whole`);
    return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
  } finally {
    await client.end();
  }
}

const catalogue = `
  with ours as (select oid from pg_namespace where nspname = 'public')
  select 'column' as what, a.attrelid::regclass::text || '.' || a.attname as place,
         concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
                   pg_get_expr(d.adbin, d.adrelid)) as detail
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where c.relnamespace in (select oid from ours) and c.relkind in ('r', 'p', 'v', 'm')
      and a.attnum > 0 and not a.attisdropped
  union all
  select 'constraint', conrelid::regclass::text || '.' || conname,
         pg_get_constraintdef(oid) || case when convalidated then '' else ' not valid' end
    from pg_constraint where connamespace in (select oid from ours)
  union all
  select 'index', c.oid::regclass::text, pg_get_indexdef(i.indexrelid) || ' ' || i.indisvalid
    from pg_index i join pg_class c on c.oid = i.indexrelid where c.relnamespace in (select oid from ours)
  union all
  select 'label', t.oid::regtype::text, e.enumsortorder || ' ' || e.enumlabel
    from pg_enum e join pg_type t on t.oid = e.enumtypid where t.typnamespace in (select oid from ours)
  union all
  select 'function', oid::regprocedure::text, pg_get_functiondef(oid)
    from pg_proc where pronamespace in (select oid from ours) and prokind in ('f', 'p')
  union all
  select 'trigger', t.tgrelid::regclass::text || '.' || t.tgname, pg_get_triggerdef(t.oid)
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace in (select oid from ours) and not t.tgisinternal
  union all
  select 'migration', name, '' from migrations
  order by 1, 2, 3`;
