import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../src/db/migrate.ts';

/** A database of a test's own on the real server that TEST_DATABASE_URL names; gone after `close()`. */
export type TestDatabase = { url: string; close(): Promise<void> };

const template = 'test_template';

/** Empty but for the present schema: copied from one migrated template, which is quicker than migrating each. */
export async function createTestDatabase(): Promise<TestDatabase> {
  await ensureTemplate();
  return createFrom(`template ${template}`);
}

/** As a new cluster has it: no schema at all. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createFrom('');

async function createFrom(clause: string): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  await onServer((client) => client.query(`create database ${name} ${clause}`));
  return {
    url: urlOf(name),
    close: () =>
      onServer(async (client) => {
        await untilLeft(client, name);
        await client.query(`drop database ${name} with (force)`);
      }),
  };
}

/** A client that has closed stays connected for a moment. To drop the database under it would be an error of its test. */
async function untilLeft(client: pg.Client, name: string): Promise<void> {
  for (let looks = 0; looks < 40; looks += 1) {
    const { rows } = await client.query('select from pg_stat_activity where datname = $1 limit 1', [name]);
    if (rows.length === 0) return;
    await sleep(25);
  }
}

/** Test files run in processes of their own: the first to come makes the template, the others wait. */
async function ensureTemplate(): Promise<void> {
  await onServer(async (client) => {
    await client.query('select pg_advisory_lock(1)');
    const { rows } = await client.query('select datistemplate from pg_database where datname = $1', [template]);
    if (rows[0]?.datistemplate) return;
    await client.query(`drop database if exists ${template}`);
    await client.query(`create database ${template}`);
    await migrate(urlOf(template));
    // Marked last: a template that a cut run left half made is not mistaken for a whole one.
    await client.query(`alter database ${template} is_template true`);
  });
}

async function onServer<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function urlOf(name: string): string {
  const server = process.env.TEST_DATABASE_URL;
  if (!server) throw new Error('run tests with `npm test`: it starts PostgreSQL and names it in TEST_DATABASE_URL');
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** From now on a host without a lease is gone: as where an agent hears hosts. No agent takes this row for one of a dead agent. */
export const hearHosts = (store: { transaction<T>(work: (tx: { client: pg.ClientBase }) => Promise<T>): Promise<T> }) =>
  store.transaction(({ client }) =>
    client.query(
      `insert into agents (id, seen_at, recovered_at, hears_from, hears_until)
       values (gen_random_uuid(), now(), now(), now(), 'infinity')`,
    ),
  );

/** From now on no agent hears hosts: as in an outage. */
export const hearNoHosts = (store: Parameters<typeof hearHosts>[0]) =>
  store.transaction(({ client }) => client.query('update agents set hears_from = null, hears_until = null'));
