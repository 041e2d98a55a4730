import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../../../../testkit/until.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { localUser, openStore, type Store } from '../index.ts';

const [older, newer, lost] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const soon = () => AbortSignal.timeout(60_000);
const state = { storage: { cookies: ['a'] }, pages: [] };

/** The most secrets that one key sealed. */
const secretsOfOneKey = (store: Store): Promise<number | undefined> =>
  store.transaction(async ({ client }) => {
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from secrets group by key_id order by count desc limit 1',
    );
    return rows[0]?.count;
  });

describe('sealing again', () => {
  let database: TestDatabase;
  const stores: Store[] = [];
  before(async () => {
    database = await createTestDatabase();
  });
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await database.close();
  });
  function storeWith(...profileKeys: Buffer[]): Store {
    const store = openStore({ url: database.url, blobDir: '/nonexistent', profileKeys, onError: () => {} });
    stores.push(store);
    return store;
  }

  it('moves secrets, states and profiles to the first key, past rows that are locked, and names lost keys', async () => {
    const before = storeWith(older);
    await before.users.ensureLocal();
    const owner = { ...localUser, role: 'admin' } as const;
    const session = await before.transaction((tx) =>
      before.sessions.create(tx, owner, { viewport: { width: 800, height: 600 } }),
    );
    const names = Array.from({ length: 120 }, (_, i) => `s${i}`);
    await before.transaction(async (tx) => {
      for (const name of names)
        await before.secrets.put(tx, owner.id, { name, value: `value of ${name}`, origins: ['https://example.com'] });
      await before.browsers.seed(tx, session.id, state);
      await before.profiles.save(tx, owner.id, { label: 'p', sessionId: session.id, state });
    });
    await before.secrets.use(owner.id, session.id, 's1');
    const other = storeWith(lost);
    await other.transaction((tx) =>
      other.secrets.put(tx, owner.id, { name: 'lost', value: 'a value', origins: ['https://example.com'] }),
    );

    const both = storeWith(newer, older);
    // What was sealed by the older key opens meanwhile.
    assert.equal((await both.secrets.use(owner.id, session.id, 's2'))?.value, 'value of s2');
    const release = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const lock = both.transaction(async ({ client }) => {
      await client.query(`select from secrets where name = 's7' for update`);
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const resealing = both.reseal(soon());
    // All others are sealed by the newer key while one is locked.
    await until(async () => (await secretsOfOneKey(both)) === names.length - 1, 30_000);
    release.resolve();
    const tables = await resealing;
    await lock;
    const doneOf = (table: string) => tables.find((one) => one.table === table);
    assert.deepEqual(doneOf('secrets'), { table: 'secrets', done: 120, left: 0, unopened: 1 });
    assert.deepEqual(doneOf('browsers'), { table: 'browsers', done: 1, left: 0, unopened: 0 });
    assert.deepEqual(doneOf('profiles'), { table: 'profiles', done: 1, left: 0, unopened: 0 });
    assert.deepEqual(doneOf('session_secrets'), { table: 'session_secrets', done: 1, left: 0, unopened: 0 });

    const alone = storeWith(newer);
    assert.equal((await alone.secrets.use(owner.id, session.id, 's7'))?.value, 'value of s7');
    assert.deepEqual((await alone.secrets.typedIn(session.id)).toSorted(), [
      'value of s1',
      'value of s2',
      'value of s7',
    ]);
    assert.deepEqual(await alone.transaction((tx) => alone.browsers.stateOf(tx, session.id)), state);
    assert.equal(
      (await alone.reseal(soon())).every(({ done }) => done === 0),
      true,
    );
  });
});
