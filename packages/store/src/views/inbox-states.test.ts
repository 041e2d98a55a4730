import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { explain, type PlanNode, watchQueries } from '../../testing/queries.ts';
import { seedSessions } from '../../testing/stored-sessions.ts';
import type { Caller } from '../accounts/users.ts';
import { inboxKeyOf, openStore, type Store } from '../index.ts';

const everyone = inboxKeyOf({ id: '', role: 'admin' });

describe('the states of inboxes', () => {
  let database: TestDatabase;
  let store: Store;
  let plain: pg.Pool;
  const idOf = new Map<string, string>();
  before(async () => {
    database = await createTestDatabase();
    // A tenth of the live ones waits for an answer, another tenth has a person at work, both of ten of the users.
    await seedSessions(database.url, { stored: 20_000, live: 2000 });
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 1, onError: () => {} });
    plain = new pg.Pool({ connectionString: database.url, max: 1 });
    const { rows } = await plain.query<{ id: string; username: string }>('select id, username from users');
    for (const { id, username } of rows) idOf.set(username, id);
  });
  after(async () => {
    await plain?.end();
    await store?.close();
    await database?.close();
  });

  const user = (username: string): string => {
    const id = idOf.get(username);
    assert.ok(id);
    return id;
  };
  async function stateOf(key: string) {
    const state = (await store.tasks.inboxStates([key])).get(key);
    assert.ok(state);
    return state;
  }
  /** One task of the user that waits for an answer, and its session. */
  async function waitingTaskOf(username: string): Promise<{ id: string; session_id: string }> {
    const { rows } = await plain.query(
      `select id, session_id from tasks where owner_id = $1 and status = 'awaiting_user' order by paused_at, id limit 1`,
      [user(username)],
    );
    assert.ok(rows[0]);
    return rows[0];
  }

  it('count what the list has, for users and for admins, all in one statement', async () => {
    const watch = watchQueries();
    const keys = [...idOf.values(), everyone];
    const states = await store.tasks.inboxStates(keys).finally(watch.close);
    assert.equal(watch.sent.length, 1);
    assert.deepEqual([...states.keys()].toSorted(), keys.toSorted());
    for (const username of ['user-7', 'user-8', 'user-1']) {
      const caller: Caller = { id: user(username), role: 'user' };
      const { rows } = await store.tasks.inboxOf(caller, { limit: 200 });
      assert.equal(states.get(caller.id)?.count, rows.length, username);
    }
    assert.equal(states.get(everyone)?.count, 400);
    assert.equal(states.get(user('user-1'))?.version, states.get(user('user-2'))?.version, 'both are empty');
  });

  it('asks for the inbox of all users only where an admin wants it', async () => {
    const states = await store.tasks.inboxStates([user('user-7')]);
    assert.deepEqual([...states.keys()], [user('user-7')]);
  });

  it('change with a question, its answer, its successor and a takeover, and for nobody else', async () => {
    const task = await waitingTaskOf('user-7');
    const seen = new Set<string>();
    const other = await stateOf(user('user-8'));
    const isNew = async (what: string) => {
      const { version } = await stateOf(user('user-7'));
      assert.ok(!seen.has(version), what);
      seen.add(version);
    };
    await isNew('the first');
    await plain.query(`update tasks set question = jsonb_build_object('asked_at', 'later') where id = $1`, [task.id]);
    await isNew('another question');
    await plain.query(
      `insert into takeovers (id, session_id, task_id, status, requested_by, holder_id, epoch, lease_secs, token_hash, expires_at)
       values (gen_random_uuid(), $1, $2, 'requested', 'user', $3, 1, 60, 'x', now() + interval '1 minute')`,
      [task.session_id, task.id, user('user-7')],
    );
    await isNew('a takeover is requested');
    const { version } = await stateOf(user('user-7'));
    await plain.query(`update takeovers set expires_at = now() + interval '9 minutes' where task_id = $1`, [task.id]);
    assert.equal((await stateOf(user('user-7'))).version, version, 'the lease is renewed');
    await plain.query(`update takeovers set status = 'active' where task_id = $1`, [task.id]);
    await isNew('the takeover has begun');
    const { count } = await stateOf(user('user-7'));
    await plain.query(`update tasks set status = 'running', paused_at = null, question = null where id = $1`, [
      task.id,
    ]);
    await isNew('the task goes on');
    assert.equal((await stateOf(user('user-7'))).count, count - 1);
    assert.deepEqual(await stateOf(user('user-8')), other);
  });

  it('are also of the person who started a task in a session of another user', async () => {
    const before = await stateOf(user('user-1'));
    assert.equal(before.count, 0);
    await plain.query('update tasks set created_by = $2 where id = $1', [
      (await waitingTaskOf('user-7')).id,
      user('user-1'),
    ]);
    const { count, version } = await stateOf(user('user-1'));
    assert.equal(count, 1);
    assert.notEqual(version, before.version);
  });

  it('are read along the indexes of waiting tasks: what is stored and what runs is not read', async () => {
    const rowsRead = (node: PlanNode) =>
      (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    for (const { keys, waiting } of [
      { keys: [user('user-7')], waiting: 40 },
      { keys: [user('user-2')], waiting: 0 },
      { keys: [...idOf.values(), everyone], waiting: 800 },
    ]) {
      const watch = watchQueries();
      await store.tasks.inboxStates(keys).finally(watch.close);
      const [query] = watch.sent;
      assert.ok(query);
      for (const mode of ['custom', 'generic'] as const) {
        const { nodes } = await explain(database.url, query, mode);
        const scans = nodes.filter((node) => /Scan/.test(node['Node Type']) && node['Relation Name']);
        assert.deepEqual(
          scans.filter((node) => node['Node Type'].endsWith('Seq Scan')),
          [],
          mode,
        );
        const rows = scans.filter((node) => node['Relation Name'] === 'tasks').reduce((sum, n) => sum + rowsRead(n), 0);
        assert.ok(rows <= waiting + 2, `${mode}: ${rows} rows for ${waiting} that wait`);
      }
    }
  });
});
