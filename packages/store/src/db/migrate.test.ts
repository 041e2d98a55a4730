import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Step } from '@pilothouse/contract';
import pg from 'pg';
import { until } from '../../../../testkit/until.ts';
import { createEmptyDatabase, createTestDatabase } from '../../testing/database.ts';
import { localUser, migrate, newId, openStore, taskTitleOf } from '../index.ts';
import { stepsOf } from './migration-files.ts';

describe('a migration', () => {
  it('takes the prompts of scripts out of the titles that an earlier release gave', async () => {
    const database = await createTestDatabase();
    const store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 2, onError: () => {} });
    try {
      await store.users.ensureLocal();
      const steps: Step[] = [
        { action: 'navigate', url: 'https://anna:hunter2@shop.test/a?b' },
        { action: 'type', target: { label: 'Password' }, text: 'hunter2' },
        { action: 'type', target: 'Again', text: 'hunter2', title: 'Repeat hunter2' },
        { action: 'press', key: 'h' },
        { action: 'double_click', target: 'Log in' },
      ];
      /** As the release before made them: called after the prompt. */
      const made = async (plan: Step[], title: string, ofSession: string) => {
        const [id, sessionId] = [newId(), newId()];
        const result = { summary: `Done: ${title}`, data: { kept: 1 }, files: [] };
        await store.change(sessionId, async (tx) => {
          const viewport = { width: 800, height: 600 };
          await store.sessions.create(tx, localUser, { id: sessionId, title: ofSession, viewport });
          const given = { title, prompt: title, plan: { steps: plan }, settings: {}, totalSteps: plan.length };
          await store.tasks.create(tx, localUser, { id, sessionId, ...given });
          await tx.client.query('update tasks set result = $2 where id = $1', [id, result]);
        });
        return async () => {
          const task = await store.tasks.byId(id);
          const session = await store.sessions.byId(sessionId);
          return { task: task?.title, session: session?.title, result: task?.result };
        };
      };
      const scripted = await made(steps, 'type "hunter2" into', 'type "hunter2" into');
      const named = await made(steps, 'type "hunter2" into', 'Mine');
      const open = await made([], 'Find a lantern', 'Find a lantern');
      const text = await readFile(join(import.meta.dirname, 'migrations/0016-titles-from-steps.sql'), 'utf8');
      await store.transaction(({ client }) => client.query(text));
      const title = taskTitleOf(steps);
      assert.equal(title, 'Open shop.test, Type into "Password", Repeat ••••••, Press a key, Double click …');
      const result = { summary: `Done: ${title}`, data: { kept: 1 }, files: [] };
      assert.deepEqual(await scripted(), { task: title, session: title, result });
      assert.deepEqual(await named(), { task: title, session: 'Mine', result });
      assert.equal((await open()).task, 'Find a lantern');
      assert.equal((await open()).session, 'Find a lantern');
    } finally {
      await store.close();
      await database.close();
    }
  });

  it('gives up on a database that never answers', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await assert.rejects(migrate(`postgresql://a:b@127.0.0.1:${port}/c`, { timeoutMs: 300 }), /did not end within/);
    silent.close();
  });

  it('waits for the lock until its timeout, and fails at once when its connection breaks', async () => {
    const database = await createEmptyDatabase();
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query('select pg_advisory_lock(7464102)');
      await assert.rejects(migrate(database.url, { timeoutMs: 400 }), /did not end within 400 ms/);

      const others = 'from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
      const asking = async () =>
        (await other.query(`select ${others} and query like '%pg_try_advisory_lock%'`)).rowCount ?? 0;
      await until(async () => (await asking()) === 0, 5000);
      // A break that is not noticed ends with the timeout, and with another message.
      const waiting = assert.rejects(migrate(database.url, { timeoutMs: 20_000 }), /terminat/);
      await until(async () => (await asking()) === 1, 5000);
      await other.query(`select pg_terminate_backend(pid) ${others}`);
      await waiting;
    } finally {
      await other.end();
      await database.close();
    }
  });
});

describe('the steps of migrations', () => {
  type Place = {
    run: (options?: { timeoutMs?: number }) => Promise<string[]>;
    write: (files: Record<string, string>) => Promise<unknown>;
    query: (text: string) => Promise<Record<string, unknown>[]>;
    url: string;
  };
  /** An empty database, and a folder of migrations of its own. */
  async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
    const database = await createEmptyDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'pilothouse-migrations-'));
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    pool.on('error', () => {});
    try {
      await work({
        url: database.url,
        async run(options) {
          const lines: string[] = [];
          await migrate(database.url, { folder, log: (line) => lines.push(line), ...options });
          return lines;
        },
        write: (files) =>
          Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, `${name}.sql`), text))),
        query: async (text) => (await pool.query(text)).rows,
      });
    } finally {
      await pool.end();
      await database.close();
      await rm(folder, { recursive: true });
    }
  }
  const many = 'create table t (id int primary key, x int); insert into t (id) select generate_series(1, 1000);';
  /** The third batch waits for this lock. */
  const lock = 7;
  const fill = `-- step: batches
    with batch as (select id from t where x is null order by id limit 100), turn as materialized (
      select case when (select count(x) from t) >= 200 then pg_advisory_xact_lock(${lock}) end)
    update t set x = 1 from batch, turn where t.id = batch.id;`;

  it('are found in a file by the lines that begin them', () => {
    const text =
      '-- a word\ncreate table a ();\n-- step: batches, timeout 2 min\nupdate a set x = 1;\n-- step: concurrently\nx;\ny;\n';
    assert.deepEqual(
      stepsOf('0001', text).map(({ kind, timeoutMs }) => [kind, timeoutMs]),
      [
        ['transaction', undefined],
        ['batches', 120_000],
        ['concurrently', undefined],
      ],
    );
    assert.throws(() => stepsOf('0001', '-- step: at once\nx;'), /0001: cannot read/);
  });

  it('of one file are undone together when one fails; the files before it stay, and the next run goes on from there', () =>
    inPlace(async ({ run, write, query }) => {
      await write({ '0001-a': 'create table a (id int);', '0002-b': 'create table b (id int); select 1 / 0;' });
      await assert.rejects(run(), /division by zero/);
      assert.deepEqual(await query(`select to_regclass('a') is not null as a, to_regclass('b') is not null as b`), [
        { a: true, b: false },
      ]);
      await write({ '0002-b': 'create table b (id int);' });
      const lines = await run();
      assert.deepEqual(
        lines.map((line) => line.split(':')[0]),
        ['0002-b.sql'],
      );
      assert.deepEqual(await run(), []);
    }));

  it('that fill a table keep each batch, also when the run is cut; the next run does the rest', () =>
    inPlace(async ({ run, write, query }) => {
      await write({ '0001-a': many });
      await run();
      await write({ '0002-b': `alter table t add column y int;\n${fill}` });
      const filled = async () => Number((await query('select count(x) from t'))[0]?.count);
      // The pool of these queries has one connection, which holds the lock.
      await query(`select pg_advisory_lock(${lock})`);
      const cut = assert.rejects(run(), /terminat/);
      const isCut = async () =>
        (
          await query(`select pg_terminate_backend(pid) from pg_locks l
            where l.locktype = 'advisory' and l.objid = ${lock} and not l.granted and l.database =
              (select oid from pg_database where datname = current_database())`)
        ).length > 0;
      await until(isCut, 20_000);
      await cut;
      assert.equal(await filled(), 200);
      await query(`select pg_advisory_unlock(${lock})`);
      const lines = await run();
      assert.equal(await filled(), 1000);
      // The step before it is not done again: it would fail.
      assert.ok(lines.includes('0002-b.sql: 800 rows changed, which are all'), lines.join('\n'));
      assert.deepEqual(await query('select * from migrations_steps'), []);
    }));

  it('that build an index beside writers do not stop them, and build it again where an earlier run was cut', () =>
    inPlace(async ({ run, write, query, url }) => {
      const index = '-- step: concurrently\ncreate unique index concurrently if not exists t_x on t (x);\n';
      await write({ '0001-a': `${many}\ninsert into t values (1001, 7), (1002, 7);`, '0002-b': index });
      await assert.rejects(run(), /could not create unique index/);
      const valid = () => query(`select indisvalid from pg_index where indexrelid = to_regclass('t_x')`);
      assert.deepEqual(await valid(), [{ indisvalid: false }]);
      await query('delete from t where id = 1002');
      const writer = new pg.Client({ connectionString: url });
      await writer.connect();
      try {
        await writer.query('begin; insert into t values (2000, 1)');
        const running = run();
        // The build waits for the transaction that began before it. Others write meanwhile.
        await until(
          async () =>
            (
              await query(`select from pg_stat_activity where query like '%index concurrently%'
            and wait_event_type = 'Lock' and datname = current_database()`)
            ).length === 1,
          20_000,
        );
        await query('insert into t values (2001, 2)');
        await writer.query('commit');
        await running;
      } finally {
        await writer.end();
      }
      assert.deepEqual(await valid(), [{ indisvalid: true }]);
    }));

  it('have a time of their own', () =>
    inPlace(async ({ run, write, query }) => {
      // The time itself is what is tested: the first statement has too little of it, and the second more than the default.
      await write({ '0001-a': '-- step: transaction, timeout 1 s\ncreate table a (); select pg_sleep(30);' });
      await assert.rejects(run(), /statement timeout|did not end within 1000 ms/);
      await write({ '0001-a': '-- step: transaction, timeout 30 s\ncreate table a (); select pg_sleep(2.5);' });
      await run({ timeoutMs: 2000 });
      assert.equal((await query('select from migrations')).length, 1);
    }));

  it('are refused by an older release', () =>
    inPlace(async ({ run, query }) => {
      await run();
      await query(`insert into migrations values ('9999-later.sql', '')`);
      await assert.rejects(run(), /newer release: it has 9999-later.sql/);
    }));
});
