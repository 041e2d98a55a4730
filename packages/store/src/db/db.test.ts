import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BrowserState, LogLevel, Role, SessionState, TaskState } from '@pilothouse/contract';
import { sql } from 'kysely';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { type Database, isDatabaseUnavailable, openDatabase } from './db.ts';
import { migrate } from './migrate.ts';

describe('the database', () => {
  let test: TestDatabase;
  let database: Database;
  before(async () => {
    test = await createTestDatabase();
    database = openDatabase({ url: test.url, poolSize: 2, onError: () => {} });
    await database.pool.query('create table things (name text primary key)');
  });
  after(async () => {
    await database.close();
    await test.close();
  });
  const names = async () => (await database.pool.query('select name from things')).rows.map(({ name }) => name);

  it('commits a transaction, and rolls a failed one back', async () => {
    await database.transaction(({ db }) => sql`insert into things values ('kept')`.execute(db));
    const failing = database.transaction(async ({ db, client }) => {
      await sql`insert into things values ('lost')`.execute(db);
      await client.query(`insert into things values ('lost too')`);
      throw new Error('no');
    });
    await assert.rejects(failing, /no/);
    assert.deepEqual(await names(), ['kept']);
  });

  it('throws if a statement failed and its error was swallowed', async () => {
    const swallowing = database.transaction(async ({ client }) => {
      await client.query(`insert into things values ('ghost')`);
      await client.query('select 1/0').catch(() => {});
    });
    await assert.rejects(swallowing, /rolled back/);
    assert.ok(!(await names()).includes('ghost'));
  });

  it('goes on after a migration has changed what a prepared statement returns', async () => {
    const running = openDatabase({ url: test.url, poolSize: 1, onError: () => {} });
    const readAll = { name: 'things.all', text: 'select * from changing' };
    const inTransaction = () => running.transaction(async ({ client }) => (await client.query(readAll)).rowCount);
    try {
      await database.pool.query('create table changing (name text)');
      await inTransaction();
      await database.pool.query('alter table changing add column age int');
      // PostgreSQL refuses it once on each connection that has prepared it.
      await assert.rejects(
        inTransaction(),
        (error) => /cached plan/.test(String(error)) && isDatabaseUnavailable(error),
      );
      assert.equal(await inTransaction(), 0);
    } finally {
      await running.close();
    }
  });

  it('knows whether its role may do everything, and a role that owns the database can bring it to the schema', async () => {
    const role = `plain_${process.pid}`;
    const empty = await createEmptyDatabase();
    const admin = openDatabase({ url: empty.url, poolSize: 1, onError: () => {} });
    const url = new URL(empty.url);
    await admin.pool.query(`create role ${role} login password 'plain'`);
    await admin.pool.query(`alter database ${url.pathname.slice(1)} owner to ${role}`);
    [url.username, url.password] = [role, 'plain'];
    const plain = openDatabase({ url: url.href, poolSize: 1, onError: () => {} });
    try {
      assert.deepEqual([await admin.isSuperuser(), await plain.isSuperuser()], [true, false]);
      await migrate(url.href);
      assert.deepEqual((await plain.pool.query('select count(*)::int as tasks from tasks')).rows, [{ tasks: 0 }]);
    } finally {
      await plain.close();
      await admin.close();
      await empty.close();
      await database.pool.query(`drop role ${role}`);
    }
  });

  it('gives a connection back after a failure, however often', async () => {
    for (let i = 0; i < 10; i++) await assert.rejects(database.transaction(async () => Promise.reject(new Error('x'))));
    assert.equal(await database.ping(2000), true);
  });

  it('goes on after its connections were cut', async () => {
    await Promise.all([database.ping(1000), database.ping(1000)]);
    const other = openDatabase({ url: test.url, poolSize: 1, onError: () => {} });
    await other.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await other.close();
    // Two were cut, and each may still be met once before the end of its connection is heard.
    for (let met = 0; met < 2; met++) {
      const cut = await database.pool.query('select 1').catch((error: unknown) => error);
      if (cut instanceof Error)
        assert.ok(isDatabaseUnavailable(cut), `a cut connection is the weather: ${cut.message}`);
    }
    assert.equal(await database.ping(2000), true);
  });

  it('tells the weather from our bugs', async () => {
    const away = openDatabase({ url: 'postgresql://nobody:x@127.0.0.1:1/none', onError: () => {} });
    const refused = await away.pool.query('select 1').catch((error: unknown) => error);
    assert.ok(isDatabaseUnavailable(refused));
    assert.equal(await away.ping(500), false);
    await away.close();
    const bug = await database.pool.query('select nothing').catch((error: unknown) => error);
    assert.ok(!isDatabaseUnavailable(bug));
    assert.ok(!isDatabaseUnavailable('text'));
  });

  it('knows the states by the same words as the contract', async () => {
    const values = async (type: string) =>
      (await database.pool.query(`select unnest(enum_range(null::${type}))::text as value`)).rows.map(
        ({ value }) => value,
      );
    assert.deepEqual(await values('session_status'), SessionState.options);
    assert.deepEqual(await values('browser_state'), BrowserState.options);
    assert.deepEqual(await values('user_role'), Role.options);
    assert.deepEqual(await values('task_status'), TaskState.options);
    // In the order of their weight, by which they are compared.
    assert.deepEqual(await values('log_level'), LogLevel.options);
  });
});
