import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { localUser, newId, openStore, type Store } from '../index.ts';

const viewport = { width: 1280, height: 720 };

describe('what is removed by age', () => {
  let database: TestDatabase;
  let store: Store;
  let plain: pg.Pool;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    plain = new pg.Pool({ connectionString: database.url });
    await store.users.ensureLocal();
  });
  after(async () => {
    await plain?.end();
    await store?.close();
    await database?.close();
  });
  beforeEach(() => plain.query('truncate sessions, audit, maintenance, events cascade'));

  const count = async (text: string, values: unknown[] = []): Promise<number> =>
    (await plain.query(`select count(*)::int as count from ${text}`, values)).rows[0].count;

  /** A session that began `bornDaysAgo` days ago, with one event for each of these ages in days. */
  async function newSession(bornDaysAgo: number, eventDaysAgo: number[]): Promise<string> {
    const made = newId();
    const { rows } = await plain.query(
      `select overlay($1::uuid::text placing left(first_uuid_at(now() - make_interval(days => $2))::text, 13) from 1) as id`,
      [made, bornDaysAgo],
    );
    const { id } = rows[0];
    await plain.query(
      `select ensure_event_partitions((now() at time zone 'utc')::date - $1::int, (now() at time zone 'utc')::date - $1::int)`,
      [bornDaysAgo],
    );
    await store.transaction((tx) => store.sessions.create(tx, localUser, { id, viewport }));
    for (const [index, days] of eventDaysAgo.entries())
      await plain.query(
        `insert into events (session_id, seq, kind, data, recorded_at)
         values ($1, $2, 'log', '{}', now() - make_interval(days => $3))`,
        [id, index + 1, days],
      );
    await plain.query(
      `update session_seq set last_seq = $2, last_event_at = now() - make_interval(days => $3) where session_id = $1`,
      [id, eventDaysAgo.length, Math.min(...eventDaysAgo)],
    );
    return id;
  }
  const partitions = () =>
    count(`pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = 'events'::regclass and c.relname ~ '^events_[0-9]{8}$'
             and to_date(right(c.relname, 8), 'YYYYMMDD') < current_date - 50`);

  it('drops the partition of a day in whose sessions nothing has happened for long, and no other', async () => {
    const old = await newSession(100, [100, 95]);
    const lately = await newSession(60, [60]);
    assert.equal(await partitions(), 2);
    assert.ok((await store.oldEvents.overdueSecs(90)) > 8 * 86_400);
    assert.equal((await store.oldEvents.dropPartitions(90)).length, 1);
    assert.equal(await partitions(), 1);
    assert.equal(await store.oldEvents.overdueSecs(90), 0);
    assert.deepEqual(await store.events.keptOf(old), { first: 3, last: 2 });
    assert.deepEqual(await store.events.keptOf(lately), { first: 1, last: 1 });
    // The session goes on: its next event has its number, and is found.
    await store.change(old, (_tx, append) => append({ kind: 'log', data: {} }));
    assert.deepEqual(
      (await store.events.after(old, 0, { limit: 10 })).map(({ seq }) => seq),
      [3],
    );
    await plain.query(`update events set recorded_at = now() - interval '91 days' where session_id = $1`, [old]);
    assert.equal(await store.oldEvents.trimRest(90), 1);
    assert.equal(await count('events where session_id = $1', [old]), 0);
  });

  it('keeps the partition of a session that goes on, and removes the old events in it', async () => {
    const ended = await newSession(101, [101, 100]);
    const busy = await newSession(101, [101, 99, 80, 1]);
    assert.deepEqual(await store.oldEvents.dropPartitions(90), []);
    let position: Parameters<Store['oldEvents']['trimSessions']>[1];
    for (;;) {
      const done = await store.oldEvents.trimSessions(90, position);
      if (!done) break;
      position = done.position;
    }
    assert.deepEqual(await store.events.keptOf(ended), { first: 3, last: 2 });
    assert.deepEqual(await store.events.keptOf(busy), { first: 3, last: 4 });
  });

  it('does not wait long for a partition that a reader holds, and drops it later', async () => {
    await newSession(102, [102]);
    const reader = await plain.connect();
    try {
      await reader.query('begin');
      await reader.query('select from events');
      assert.deepEqual(await store.oldEvents.dropPartitions(90), []);
      await reader.query('commit');
    } finally {
      reader.release();
    }
    // That of the test before is free by now, too.
    assert.equal((await store.oldEvents.dropPartitions(90)).length, 2);
  });

  async function newTask(endedDaysAgo: number | null): Promise<string> {
    const session = await newSession(0, [0]);
    const id = newId();
    await plain.query(
      `insert into tasks (id, session_id, created_by, owner_id, title, prompt, plan, settings, first_seq, status, finished_at)
       values ($1, $2, $3, $3, '', '', '{}', '{}', 1, $4, now() - make_interval(days => $5))`,
      [id, session, localUser.id, endedDaysAgo === null ? 'running' : 'success', endedDaysAgo],
    );
    await plain.query(
      `insert into logs (task_id, seq, recorded_at, level, message) select $1, n, now(), 'info', ''
                       from generate_series(1, 3) n`,
      [id],
    );
    await plain.query(
      `insert into steps (task_id, index, try, execution_id, command_id, epoch)
                       values ($1, 1, 1, gen_random_uuid(), gen_random_uuid(), 1)`,
      [id],
    );
    await plain.query(
      `insert into executions (id, task_id, attempt, agent_id)
                       values (gen_random_uuid(), $1, 1, gen_random_uuid())`,
      [id],
    );
    await plain.query(
      `insert into observations (id, task_id, step_id, seq, recorded_at, kind)
                       values (gen_random_uuid(), $1, 'step-1', 1, now(), 'page')`,
      [id],
    );
    return id;
  }
  const detailsOf = async (id: string) => ({
    logs: await count('logs where task_id = $1', [id]),
    steps: await count('steps where task_id = $1', [id]),
    executions: await count('executions where task_id = $1', [id]),
    observations: await count('observations where task_id = $1', [id]),
  });
  const whole = { logs: 3, steps: 1, executions: 1, observations: 1 };
  const drain = async (work: () => Promise<number>) => {
    for (let rounds = 0; (await work()) > 0; rounds += 1) assert.ok(rounds < 50);
  };

  it('removes details of tasks that ended long ago, each kind for itself, and of no other', async () => {
    const [older, old, late, open] = [await newTask(200), await newTask(100), await newTask(20), await newTask(null)];
    assert.ok((await store.oldDetails.overdueSecs('logs', 90)) > 109 * 86_400);
    await drain(() => store.oldDetails.remove('logs', 90, 1));
    assert.equal(await store.oldDetails.overdueSecs('logs', 90), 0);
    for (const id of [older, old]) assert.deepEqual(await detailsOf(id), { ...whole, logs: 0 });
    await drain(() => store.oldDetails.remove('steps', 150, 10));
    assert.deepEqual(await detailsOf(older), { ...whole, logs: 0, steps: 0, executions: 0 });
    await drain(() => store.oldDetails.remove('observations', 90, 10));
    assert.deepEqual(await detailsOf(old), { ...whole, logs: 0, observations: 0 });
    for (const id of [late, open]) assert.deepEqual(await detailsOf(id), whole);
    // With a shorter time it goes on from where it was.
    await drain(() => store.oldDetails.remove('logs', 10, 10));
    assert.deepEqual(await detailsOf(late), { ...whole, logs: 0 });
    assert.deepEqual(await detailsOf(open), whole);
  });

  it('comes back to what somebody else had locked', async () => {
    const id = await newTask(100);
    const other = await plain.connect();
    try {
      await other.query('begin');
      await other.query('select from logs where task_id = $1 and seq = 2 for update', [id]);
      await drain(() => store.oldDetails.remove('logs', 90, 10));
      assert.deepEqual(await detailsOf(id), { ...whole, logs: 1 });
      await other.query('rollback');
    } finally {
      other.release();
    }
    assert.ok((await store.oldDetails.overdueSecs('logs', 90)) > 0);
    await drain(() => store.oldDetails.remove('logs', 90, 10));
    assert.deepEqual(await detailsOf(id), { ...whole, logs: 0 });
  });

  it('leaves details to the agent that is at them', async () => {
    await newTask(100);
    await store.maintenance.claim('logs', 60);
    const other = await plain.connect();
    try {
      await other.query('begin');
      await other.query(`select from maintenance where part = 'logs' for update`);
      assert.equal(await store.oldDetails.remove('logs', 90, 10), 0);
      await other.query('rollback');
    } finally {
      other.release();
    }
    assert.equal(await store.oldDetails.remove('logs', 90, 10), 4);
  });

  it('removes ended takeovers, expired shares and audit by their age, in batches', async () => {
    const session = await newSession(0, [0]);
    await plain.query(
      `insert into takeovers (id, session_id, status, holder_id, requested_by, lease_secs, expires_at, token_hash, ended_at)
       select gen_random_uuid(), $1, 'ended', $2, 'x', 60, now(), '', now() - make_interval(days => days)
       from unnest(array[400, 380, 370, 300]) as days`,
      [session, localUser.id],
    );
    await plain.query(
      `insert into shares (session_id, id, hash, expires_at) values ($1, gen_random_uuid(), 'x', now() - interval '2 days')`,
      [session],
    );
    await plain.query(
      `insert into audit (id, recorded_at, event, outcome)
       select overlay(gen_random_uuid()::text placing left(first_uuid_at(at)::text, 13) from 1)::uuid, at, 'login', 'success'
       from unnest(array[400, 10]) as days, lateral (select now() - make_interval(days => days) as at) as t`,
    );
    const { takeovers, audit } = await store.oldRows.overdueSecs({ takeovers: 365, audit: 365 });
    assert.ok(takeovers > 34 * 86_400 && audit > 34 * 86_400, `${takeovers} ${audit}`);
    assert.deepEqual(
      [
        await store.oldRows.takeovers(365, 2),
        await store.oldRows.takeovers(365, 2),
        await store.oldRows.takeovers(365, 2),
      ],
      [2, 1, 0],
    );
    assert.equal(await store.oldRows.shares(1, 10), 1);
    assert.equal(await store.oldRows.audit(365, 10), 1);
    assert.deepEqual(await store.oldRows.overdueSecs({ takeovers: 365, audit: 365 }), { takeovers: 0, audit: 0 });
    assert.equal(await count('audit'), 1);
  });
});
