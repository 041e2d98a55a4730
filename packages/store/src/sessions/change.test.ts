import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { localUser, newId, openStore, type Store } from '../index.ts';

const caller = { id: localUser.id, role: 'user' } as const;
const viewport = { width: 1280, height: 720 };

describe('a change of a session', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
  });
  after(async () => {
    await store.close();
    await database.close();
  });

  const newSession = () => store.transaction((tx) => store.sessions.create(tx, caller, { id: newId(), viewport }));
  const say = (id: string) => store.change(id, (_tx, append) => append({ kind: 'log', data: {} }));
  const placeOf = async (id: string) => (await store.sessions.byId(id))?.updated_at.getTime();
  const age = (id: string, secs: number) =>
    store.transaction(({ client }) =>
      client.query('update sessions set updated_at = updated_at - make_interval(secs => $2) where id = $1', [id, secs]),
    );

  it('brings a session at work to the front of the list', async () => {
    const [first, second] = [await newSession(), await newSession()];
    const list = async () => (await store.sessions.listVisibleTo(caller, { limit: 2 })).rows.map(({ id }) => id);
    assert.deepEqual(await list(), [second.id, first.id]);
    await age(first.id, 60);
    await age(second.id, 30);
    await say(first.id);
    assert.deepEqual(await list(), [first.id, second.id]);
  });

  it('leaves it where it is while its place is no older than ten seconds', async () => {
    const { id } = await newSession();
    await age(id, 8);
    const place = await placeOf(id);
    await say(id);
    assert.equal(await placeOf(id), place);
    await age(id, 8);
    await say(id);
    assert.notEqual(await placeOf(id), place);
  });

  it('leaves it where it is when nothing was said', async () => {
    const { id } = await newSession();
    await age(id, 60);
    const place = await placeOf(id);
    await store.change(id, async () => {});
    assert.equal(await placeOf(id), place);
  });
});
