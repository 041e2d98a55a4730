import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { type Guest, localUser, openStore, type Store } from '../index.ts';

const newHash = () => createHash('sha256').update(randomBytes(32)).digest();

describe('shares', () => {
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

  const newSession = () =>
    store.transaction((tx) => store.sessions.create(tx, localUser, { viewport: { width: 800, height: 600 } }));
  const share = (id: string, hash: Buffer, secs = 60) => store.change(id, (tx) => store.shares.put(tx, id, hash, secs));
  const isShared = async (id: string) => {
    const { rows } = await store.sessions.listVisibleTo(localUser, { limit: 200 });
    const listed = rows.find((row) => row.id === id)?.shared;
    assert.equal((await store.sessions.visibleTo(localUser, id))?.shared, listed);
    return listed;
  };
  const expire = (id: string) => plain.query('update shares set expires_at = now() where session_id = $1', [id]);
  async function guestOf(hash: Buffer): Promise<Guest> {
    const guest = await store.shares.guestOf(hash);
    assert.ok(guest);
    return guest;
  }

  it('let watch one session and no other, until they expire', async () => {
    const [{ id }, other] = [await newSession(), await newSession()];
    assert.equal(await isShared(id), false);
    const hash = newHash();
    const row = await share(id, hash);
    assert.equal(row?.has_replaced, false);
    const guest = await guestOf(hash);
    assert.equal(guest.sessionId, id);
    assert.equal((await store.sessions.watchedBy(guest, id))?.id, id);
    assert.equal(await store.sessions.watchedBy(guest, other.id), undefined);
    assert.equal(await store.sessions.watchedBy({ ...guest, sessionId: other.id }, other.id), undefined);
    assert.deepEqual([await isShared(id), await isShared(other.id)], [true, false]);
    const leftMs = (await store.shares.stillLive([guest.shareId])).get(guest.shareId) ?? 0;
    assert.ok(leftMs > 30_000 && leftMs <= 60_001, String(leftMs));

    await expire(id);
    assert.equal(await store.shares.guestOf(hash), undefined);
    assert.equal(await store.sessions.watchedBy(guest, id), undefined);
    assert.equal((await store.shares.stillLive([guest.shareId])).size, 0);
    assert.equal(await isShared(id), false);
    assert.equal((await share(id, newHash()))?.has_replaced, false, 'what has expired is not replaced');
  });

  it('are replaced by the next, of however many at once', async () => {
    const { id } = await newSession();
    const hashes = Array.from({ length: 12 }, newHash);
    const made = await Promise.all(hashes.map((hash) => share(id, hash)));
    assert.equal(made.filter((row) => row?.has_replaced === false).length, 1);
    const live = await Promise.all(hashes.map((hash) => store.shares.guestOf(hash)));
    assert.equal(live.filter(Boolean).length, 1);
    const ids = made.flatMap((row) => row?.id ?? []);
    assert.equal((await store.shares.stillLive(ids)).size, 1);
  });

  it('end once, and with the session and the right of its owner', async () => {
    const { id } = await newSession();
    const hash = newHash();
    await share(id, hash);
    const remove = () => store.change(id, (tx) => store.shares.remove(tx, id));
    assert.equal((await remove())?.was_live, true);
    assert.equal(await remove(), undefined);
    assert.equal(await store.shares.guestOf(hash), undefined);

    await share(id, hash);
    const { shareId } = await guestOf(hash);
    await store.users.setDisabled(localUser.id, true);
    assert.equal(await store.shares.guestOf(hash), undefined);
    assert.equal((await store.shares.stillLive([shareId])).size, 0);
    await store.users.setDisabled(localUser.id, false);
    await guestOf(hash);

    await store.change(id, (tx) => store.sessions.move(tx, id, 'close'));
    assert.equal(await share(id, newHash()), undefined, 'a closed session is not shared');
  });
});
