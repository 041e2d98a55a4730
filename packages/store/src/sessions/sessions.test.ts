import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { type Caller, localUser, newId, openStore, type Store } from '../index.ts';

const viewport = { width: 1280, height: 720 };

describe('sessions', () => {
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
    await plain.end();
    await store.close();
    await database.close();
  });

  async function newUser(): Promise<Caller> {
    const id = newId();
    await plain.query('insert into users (id, username, email) values ($1, $2, $3)', [
      id,
      `u${id}`,
      `${id}@example.test`,
    ]);
    return { id, role: 'user' };
  }
  const newSession = (owner: Caller) => store.transaction((tx) => store.sessions.create(tx, owner, { viewport }));
  async function readAll(caller: Caller, limit: number): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const { rows, nextCursor } = await store.sessions.listVisibleTo(caller, { limit, cursor });
      ids.push(...rows.map(({ id }) => id));
      cursor = nextCursor ?? undefined;
    } while (cursor);
    return ids;
  }

  it('are visible to their owner and to an admin only', async () => {
    const [owner, stranger] = [await newUser(), await newUser()];
    const { id } = await newSession(owner);
    assert.equal((await store.sessions.visibleTo(owner, id))?.id, id);
    assert.equal((await store.sessions.visibleTo(localUser, id))?.id, id);
    assert.equal(await store.sessions.visibleTo(stranger, id), undefined);
    assert.deepEqual(await readAll(stranger, 10), []);
  });

  it('page through all, newest first, each once, also where many have the same time', async () => {
    const owner = await newUser();
    const made = [];
    for (let i = 0; i < 25; i++) made.push((await newSession(owner)).id);
    await plain.query(`update sessions set updated_at = '2026-01-01T00:00:00.123Z' where id = any($1)`, [
      made.slice(5, 20),
    ]);
    const pages = await readAll(owner, 4);
    assert.equal(new Set(pages).size, 25);
    assert.deepEqual(pages, await readAll(owner, 200), 'pages of any size give the same order');
    assert.deepEqual(pages.slice(0, 5), made.slice(20).reverse());
  });

  it('page on without loss while rows are added', async () => {
    const owner = await newUser();
    const before = [];
    for (let i = 0; i < 6; i++) before.push((await newSession(owner)).id);
    const first = await store.sessions.listVisibleTo(owner, { limit: 3 });
    await newSession(owner);
    const second = await store.sessions.listVisibleTo(owner, { limit: 3, cursor: first.nextCursor ?? '' });
    assert.deepEqual(
      [...first.rows, ...second.rows].map(({ id }) => id),
      before.toReversed(),
    );
  });

  it('refuse a cursor that is not ours', async () => {
    for (const cursor of ['x', '%%%', Buffer.from('2026-99-99T00:00:00.000Z nonsense').toString('base64url'), 'AAAA']) {
      await assert.rejects(store.sessions.listVisibleTo(localUser, { limit: 1, cursor }), {
        code: 'validation_failed',
      });
    }
  });

  it('are listed by an index, for every caller', async () => {
    await plain.query('analyze sessions');
    const owner = await newUser();
    const plan = async (where: string) => {
      // Tables of a test are small enough to be read whole; the question is whether the index could serve at all.
      const { rows } = await plain
        .query(
          `set enable_seqscan = off; set enable_sort = off; explain select * from sessions ${where} order by updated_at desc, id desc limit 50`,
        )
        .then((results) => (results as unknown as pg.QueryResult[]).at(-1) ?? { rows: [] });
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    assert.match(await plan(`where owner_id = '${owner.id}'`), /Index Scan using sessions_of_owner/);
    assert.match(await plan(''), /Index Scan using sessions_of_all/);
  });
});
