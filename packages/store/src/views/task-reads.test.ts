import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { explain, watchQueries } from '../../testing/queries.ts';
import { seedSessions } from '../../testing/stored-sessions.ts';
import type { Caller } from '../accounts/users.ts';
import { openStore, type Store } from '../index.ts';

describe('the inbox', () => {
  let database: TestDatabase;
  let store: Store;
  let plain: pg.Pool;
  before(async () => {
    database = await createTestDatabase();
    // A tenth of them waits for an answer, another tenth has a person at work, both of ten of the users.
    await seedSessions(database.url, { stored: 2000, live: 2000 });
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 1, onError: () => {} });
    plain = new pg.Pool({ connectionString: database.url, max: 1 });
  });
  after(async () => {
    await plain?.end();
    await store?.close();
    await database?.close();
  });

  async function userNamed(username: string, role: 'user' | 'admin' = 'user'): Promise<Caller> {
    const { rows } = await plain.query('select id from users where username = $1', [username]);
    return { id: rows[0].id, role };
  }
  /** Everything, page by page. */
  async function allOf(caller: Caller, limit: number): Promise<string[]> {
    const ids: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await store.tasks.inboxOf(caller, { limit, ...(cursor && { cursor }) });
      ids.push(...page.rows.map(({ id }) => id));
      assert.ok(ids.length <= 1000, 'the pages have an end');
      if (!page.nextCursor) return ids;
      cursor = page.nextCursor;
    }
  }

  it('has what waits in the sessions of a user and what the user asked for elsewhere, each once, in pages', async () => {
    const [user, other] = [await userNamed('user-7'), await userNamed('user-1')];
    const waiting = `select id from tasks where status in ('awaiting_user', 'takeover')`;
    const { rows } = await plain.query(`${waiting} and owner_id = $1 order by paused_at, id`, [user.id]);
    assert.equal(rows.length, 40);
    assert.deepEqual(
      await allOf(user, 7),
      rows.map(({ id }) => id),
    );
    assert.deepEqual(await allOf(other, 7), []);
    await plain.query('update tasks set created_by = $2 where id = $1', [rows[3].id, other.id]);
    assert.deepEqual(await allOf(other, 7), [rows[3].id]);
    assert.equal((await allOf(user, 7)).length, 40);
    assert.equal((await allOf({ ...other, role: 'admin' }, 150)).length, 400);
  });

  it('reads no more than a page of the rows of the caller, however many tasks of others wait', async () => {
    for (const caller of [await userNamed('user-7'), await userNamed('user-2'), await userNamed('user-7', 'admin')]) {
      const watch = watchQueries();
      await store.tasks.inboxOf(caller, { limit: 5 }).finally(watch.close);
      for (const query of watch.sent) {
        for (const mode of ['custom', 'generic'] as const) {
          const { nodes } = await explain(database.url, query, mode);
          const scans = nodes.filter((node) => node['Relation Name'] === 'tasks');
          const rows = scans.reduce(
            (sum, node) => sum + node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0),
            0,
          );
          assert.ok(scans.length > 0 && rows <= 12, `${mode}: ${rows} rows`);
        }
      }
    }
  });

  it('is read once for a page of sessions: the list looks each of its rows up by an index, and no others', async () => {
    await plain.query(
      `insert into frames (session_id, frame_id, seq, recorded_at, content_type, width, height, device_scale, route, private,
         blob_key)
       select id, id, 1, now(), 'image/jpeg', 1, 1, 1, '{}', false, 'none/such' from sessions on conflict do nothing`,
    );
    await plain.query('analyze frames');
    for (const caller of [await userNamed('user-7'), await userNamed('user-7', 'admin')]) {
      const watch = watchQueries();
      const { rows: page } = await store.sessions.listVisibleTo(caller, { limit: 24 }).finally(watch.close);
      assert.equal(page.length, 24);
      assert.ok(page.every(({ last_task, picture }) => last_task !== undefined && picture));
      assert.equal(watch.sent.length, 1);
      for (const query of watch.sent) {
        for (const mode of ['custom', 'generic'] as const) {
          const { nodes } = await explain(database.url, query, mode);
          for (const table of ['sessions', 'tasks', 'frames', 'session_seq', 'shares']) {
            const scans = nodes.filter((node) => node['Relation Name'] === table);
            const rows = scans.reduce(
              (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
              0,
            );
            assert.ok(rows <= 100, `${caller.role} ${mode} ${table}: ${rows} rows`);
          }
        }
      }
    }
  });
});
