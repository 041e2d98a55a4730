import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { explain, type PlanNode, watchQueries } from '../../testing/queries.ts';
import { seedSessions } from '../../testing/stored-sessions.ts';
import { openStore, type Store } from '../store.ts';
import type { UserStanding } from './user-reads.ts';

const lines = 20_000;
const rowsRead = (node: PlanNode) =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

describe('what administrators read', () => {
  let database: TestDatabase;
  let store: Store;
  let userIds: string[];
  before(async () => {
    database = await createTestDatabase();
    await seedSessions(database.url, { stored: 2000, live: 400 });
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 1, onError: () => {} });
    userIds = (await sql('select id from users order by id')).map(({ id }) => id);
    // Most of it is of one user and one kind; a rare event lies at the beginning.
    await sql(
      `insert into audit (id, recorded_at, event, outcome, user_id, actor_id)
       select gen_random_uuid(), timestamptz '2026-01-01Z' + n * interval '1 second',
         case when n < 10 then 'rare' else 'login' end, 'success', $1, case when n % 2 = 0 then $2::uuid end
       from generate_series(0, ${lines - 1}) n`,
      [userIds[0], userIds[1]],
    );
    await sql('analyze audit');
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });
  const sql = (text: string, values: unknown[] = []) =>
    store.transaction(async ({ client }) => (await client.query(text, values)).rows);

  /** Everything, page by page. */
  async function allOf<Row>(read: (cursor?: string) => Promise<{ rows: Row[]; nextCursor: string | null }>) {
    const found: Row[] = [];
    for (let cursor: string | undefined, pages = 0; ; pages++) {
      assert.ok(pages < 2000, 'the pages have an end');
      const { rows, nextCursor } = await read(cursor);
      found.push(...rows);
      if (!nextCursor) return found;
      cursor = nextCursor;
    }
  }
  async function checkPlans(
    read: () => Promise<unknown>,
    most: number,
    what: string,
    modes: ('custom' | 'generic')[] = ['custom', 'generic'],
  ): Promise<void> {
    const watch = watchQueries();
    await read().finally(watch.close);
    for (const query of watch.sent)
      for (const mode of modes) {
        const { nodes } = await explain(database.url, query, mode);
        const scans = nodes.filter((node) =>
          /^(audit|tasks|sessions|browsers|model_calls)$/.test(node['Relation Name'] ?? ''),
        );
        const read = scans.reduce((sum, node) => sum + rowsRead(node), 0);
        assert.ok(scans.length > 0 && read <= most, `${what}, ${mode}: ${read} rows`);
      }
  }

  it('users: each once, newest first, with what they have open', async () => {
    const all = await allOf((cursor) => store.adminReads.users({ limit: 7, cursor }));
    assert.deepEqual(
      all.map(({ id }) => id),
      userIds.toReversed(),
    );
    assert.equal(
      all.reduce((sum, { open_sessions }) => sum + open_sessions, 0),
      400,
    );
    const standing = async (): Promise<UserStanding> => {
      const [one] = (await store.adminReads.users({ limit: 7, id: userIds[3] })).rows;
      assert.ok(one && one.id === userIds[3]);
      return one;
    };
    const one = await standing();
    assert.ok(one.open_tasks > 0);
    await sql('insert into stored_bytes_changes (user_id, pictures, states) values ($1, 11, -9)', [userIds[3]]);
    const more = await standing();
    assert.deepEqual([more.pictures - one.pictures, more.states - one.states], [11, -9]);
    await checkPlans(() => store.adminReads.users({ limit: 5 }), 200, 'users');
  });

  it('hosts: with a row, a limit, or both, and what they hold by who is at work', async () => {
    await store.transaction((tx) => store.hosts.setLimit(tx, 'a-host-to-come', 3));
    assert.equal(await store.transaction((tx) => store.hosts.changeLimit(tx, 'host-0', 6)), true);
    assert.equal(await store.transaction((tx) => store.hosts.changeLimit(tx, 'no-such-host', 6)), false);
    const all = await allOf((cursor) => store.adminReads.hosts({ limit: 7, cursor }));
    const ids = all.map(({ id }) => id);
    assert.deepEqual([new Set(ids).size, ids.length], [51, 51]);
    assert.equal(all.find(({ id }) => id === 'a-host-to-come')?.state, 'never_seen');
    const first = all.find(({ id }) => id === 'host-0');
    assert.deepEqual([first?.state, first?.max_sessions], ['live', 6]);
    assert.equal(
      all.reduce((sum, { agent, person, idle }) => sum + agent + person + idle, 0),
      400,
    );
    assert.ok(all.some(({ person }) => person > 0) && all.some(({ agent }) => agent > 0));
    await checkPlans(() => store.adminReads.hosts({ limit: 5 }), 6 * 8 * 2 + 20, 'hosts');
  });

  it('agents: those that live, are missing, or whose work was taken over', async () => {
    await sql('delete from agents');
    await sql(`insert into agents (id, seen_at, recovered_at) values
      (gen_random_uuid(), now(), null), (gen_random_uuid(), now() - interval '1 minute', null),
      (gen_random_uuid(), now() - interval '1 minute', now())`);
    const all = await allOf((cursor) => store.adminReads.agents({ limit: 2, cursor }));
    assert.deepEqual(all.map(({ state }) => state).sort(), ['live', 'missing', 'recovered']);
  });

  it('tasks: of all users or one, by state, age and cause, each once', async () => {
    const olderThanSecs = 0;
    const all = await allOf((cursor) => store.adminReads.tasks({ limit: 200, cursor, olderThanSecs }));
    const [{ count }] = await sql('select count(*) from tasks');
    assert.deepEqual([all.length, new Set(all.map(({ id }) => id)).size], [count, count]);
    assert.ok(
      all.every(({ status, cause, finished_at }) => finished_at === null || (cause === null && status !== 'running')),
    );
    assert.ok(
      all.every((row) => !('title' in row || 'prompt' in row)),
      'no words',
    );
    const questions = await allOf((cursor) =>
      store.adminReads.tasks({ limit: 7, cursor, olderThanSecs, cause: 'question' }),
    );
    const waiting = all.filter(({ cause }) => cause === 'question');
    assert.ok(waiting.length > 7);
    assert.deepEqual(
      questions.map(({ id }) => id),
      waiting.map(({ id }) => id),
    );
    assert.ok(questions.every(({ waiting_since }) => waiting_since));
    const own = await allOf((cursor) =>
      store.adminReads.tasks({ limit: 20, cursor, olderThanSecs, userId: userIds[2] }),
    );
    assert.deepEqual(
      own.map(({ id }) => id),
      all.filter(({ created_by }) => created_by === userIds[2]).map(({ id }) => id),
    );
    const none = await store.adminReads.tasks({ limit: 5, olderThanSecs, cause: 'takeover', status: 'pending' });
    assert.deepEqual(none, { rows: [], nextCursor: null });
    const aged = await store.adminReads.tasks({ limit: 5, olderThanSecs: 300 * 365 * 86_400 });
    assert.equal(aged.rows.length, 0);
  });

  it('tasks: a cause that is rare costs a bounded look, and a page goes on where it ended', async () => {
    await sql(`update tasks set question = '{"kind":"approval"}' where id = (
      select id from tasks where status = 'awaiting_user' order by created_at, id limit 1)`);
    const found = await allOf((cursor) =>
      store.adminReads.tasks({ limit: 5, cursor, olderThanSecs: 0, cause: 'approval' }),
    );
    assert.equal(found.length, 1);
    for (const filter of [{}, { userId: userIds[2] }, { status: 'success' as const }])
      await checkPlans(
        () => store.adminReads.tasks({ limit: 5, olderThanSecs: 0, ...filter }),
        120,
        JSON.stringify(filter),
      );
    await checkPlans(() => store.adminReads.tasks({ limit: 5, olderThanSecs: 0, cause: 'clock' }), 4000, 'by cause');
  });

  it('the audit: by event, time and user, each line once, newest first', async () => {
    const { rows, nextCursor } = await store.adminReads.audit({ limit: 50 });
    assert.equal(rows.length, 50);
    assert.ok(nextCursor && rows.every(({ username }) => username));
    const rare = await allOf((cursor) => store.adminReads.audit({ limit: 3, cursor, event: 'rare' }));
    assert.equal(rare.length, 10);
    assert.ok(rare.every((row, at) => at === 0 || row.recorded_at < (rare[at - 1]?.recorded_at ?? 0)));
    const byActor = await allOf((cursor) =>
      store.adminReads.audit({ limit: 2, cursor, event: 'rare', userId: userIds[1] }),
    );
    assert.equal(byActor.length, 5);
    const [from, until] = [new Date('2026-01-01T00:00:03Z'), new Date('2026-01-01T00:00:07Z')];
    const some = await allOf((cursor) => store.adminReads.audit({ limit: 3, cursor, from, until }));
    assert.equal(some.length, 4);
    const nobody = await store.adminReads.audit({ limit: 3, userId: randomUUID() });
    assert.deepEqual(nobody, { rows: [], nextCursor: null });
    const position = { cursor: nextCursor };
    const filters = [{}, position, { event: 'rare' }, { userId: userIds[0] }, { userId: userIds[0], event: 'rare' }];
    const more = [
      { userId: userIds[1] },
      { userId: userIds[1], event: 'rare', ...position },
      { until },
      { from, until },
    ];
    for (const filter of [...filters, ...more])
      await checkPlans(() => store.adminReads.audit({ limit: 5, ...filter }), 40, JSON.stringify(filter), ['custom']);
  });
});
