// Runs migrations, step by step, on one connection. What is done is written down with each step, so that a run that was
// interrupted goes on where it stopped.

import type pg from 'pg';
import { withDeadline } from './deadline.ts';
import { type Migration, type MigrationStep, statementsOf } from './migration-files.ts';

type Options = { client: pg.Client; log: (line: string) => void; timeoutMs: number; tableLockMs: number };

/** A concurrent index may take hours on a large table, and stops nobody. */
const concurrentMs = 24 * 3_600_000;
const progressMs = 5000;

export async function runMigrations(migrations: Migration[], options: Options): Promise<void> {
  const { client, log } = options;
  // The first table is as earlier releases made it.
  await client.query(`create table if not exists migrations (name varchar(255) primary key, timestamp varchar(255) not null);
    create table if not exists migrations_steps (
      migration text not null, step int not null, finished_at timestamptz not null default now(), primary key (migration, step))`);
  const done = new Set(
    (await client.query<{ name: string }>('select name from migrations')).rows.map(({ name }) => name),
  );
  const unknown = [...done].filter((name) => !migrations.some((known) => known.name === name));
  if (unknown.length > 0) throw new Error(`the database is of a newer release: it has ${unknown.join(', ')}`);
  for (const migration of migrations.filter(({ name }) => !done.has(name))) {
    const begun = performance.now();
    await runMigration(migration, options);
    log(`${migration.name}: done in ${secsSince(begun)} s`);
  }
}

async function runMigration({ name, steps }: Migration, options: Options): Promise<void> {
  const { client, log } = options;
  const { rows } = await client.query<{ step: number }>('select step from migrations_steps where migration = $1', [
    name,
  ]);
  const finished = new Set(rows.map(({ step }) => step));
  for (const [index, step] of steps.entries()) {
    if (finished.has(index)) continue;
    if (steps.length > 1) log(`${name}: step ${index + 1} of ${steps.length}, ${step.kind}`);
    const isLast = index === steps.length - 1;
    await runStep(step, name, { ...options, finish: () => finishStep(client, name, index, isLast) });
  }
}

/** With the last step, the migration is done. */
async function finishStep(client: pg.Client, name: string, index: number, isLast: boolean): Promise<void> {
  if (!isLast) return void (await client.query('insert into migrations_steps values ($1, $2)', [name, index]));
  await client.query(
    `with gone as (delete from migrations_steps where migration = $1) insert into migrations values ($1, $2)`,
    [name, new Date().toISOString()],
  );
}

type StepOptions = Options & { finish: () => Promise<void> };

async function runStep({ kind, text, timeoutMs }: MigrationStep, name: string, options: StepOptions): Promise<void> {
  const { client, tableLockMs, finish } = options;
  const limitMs = timeoutMs ?? (kind === 'concurrently' ? concurrentMs : options.timeoutMs);
  // Every later statement waits behind one that waits for a table: better to fail and be run again. One that runs
  // concurrently is waited for by nobody.
  await client.query(
    `set statement_timeout = ${limitMs}; set lock_timeout = ${kind === 'concurrently' ? 0 : tableLockMs}`,
  );
  const bounded = <T>(work: Promise<T>) => withDeadline(work, limitMs, `${name}: the step`);
  if (kind === 'transaction') return bounded(inTransaction(client, text, finish));
  if (kind === 'concurrently') await bounded(runConcurrently(client, text));
  else await runBatches(text, name, options, bounded);
  await inTransaction(client, '', finish);
}

async function inTransaction(client: pg.Client, text: string, finish: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    if (text) await client.query(text);
    await finish();
    await client.query('commit');
  } catch (error) {
    // A broken connection has rolled back already.
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function runConcurrently(client: pg.Client, text: string): Promise<void> {
  for (const statement of statementsOf(text)) {
    const index = /^create (?:unique )?index concurrently if not exists (\w+)/.exec(statement)?.[1];
    // An interrupted run leaves an index that is written to and never read.
    if (index && (await isInvalid(client, index))) await client.query(`drop index concurrently ${index}`);
    await client.query(statement);
  }
}

async function isInvalid(client: pg.Client, index: string): Promise<boolean> {
  const { rows } = await client.query('select from pg_index where indexrelid = to_regclass($1) and not indisvalid', [
    index,
  ]);
  return rows.length > 0;
}

/** Each batch has the time of the step. */
async function runBatches(
  text: string,
  name: string,
  { client, log }: Options,
  bounded: <T>(work: Promise<T>) => Promise<T>,
): Promise<void> {
  let changed = 0;
  for (let told = performance.now(); ; ) {
    const { rowCount } = await bounded(client.query(text));
    if (!rowCount) break;
    changed += rowCount;
    if (performance.now() - told < progressMs) continue;
    told = performance.now();
    log(`${name}: ${changed} rows changed`);
  }
  log(`${name}: ${changed} rows changed, which are all`);
}

const secsSince = (begun: number) => Math.round((performance.now() - begun) / 100) / 10;
