import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createTestDatabase, hearHosts, type TestDatabase } from '../../testing/database.ts';
import { localUser, newId, openStore, type Store } from '../index.ts';

const viewport = { width: 1280, height: 720 };
const hostId = 'h1';
const bootId = randomUUID();

describe('browsers that agents look after', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 8, onError: () => {} });
    await store.users.ensureLocal();
    await hearHosts(store);
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });
  beforeEach(async () => {
    await run('delete from job_claims');
    await run('update browsers set host_id = null, boot_id = null');
    await run(`update sessions set browser = 'cold'`);
  });
  const run = (text: string, values: unknown[] = []) => store.transaction((tx) => tx.client.query(text, values));

  /** Sessions whose browsers the database has given to the host, under epoch 1. */
  async function given(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, newId);
    for (const id of ids)
      await store.change(id, async (tx) => {
        await store.sessions.create(tx, localUser, { id, viewport });
        await store.browsers.assign(tx, id, { id: hostId, bootId }, 0);
      });
    await run(`update sessions set browser = 'live' where id = any($1)`, [ids]);
    return ids;
  }
  const beat = (
    ids: string[],
    { epoch = 1, idleMs = 0, watched = [] as string[], capacity = 100, isLeaving = false } = {},
  ) =>
    store.hosts.renew({
      hostId,
      bootId,
      capacity,
      isLeaving,
      leaseMs: 60_000,
      sessions: ids.map((session_id) => ({
        session_id,
        epoch,
        is_watched: watched.includes(session_id),
        idle_ms: idleMs,
      })),
    });
  /** Four agents look at once. */
  const byFour = <T>(look: () => Promise<T[]>) => Promise.all([look(), look(), look(), look()]);
  const unclaim = () => run('update job_claims set until = now()');

  it('are compared with the rows by the heartbeat: a host is looked at only after one that differs', async () => {
    const [taken = '', kept = ''] = await given(2);
    await beat([taken, kept]);
    await run('update browsers set epoch = 2, host_id = null, boot_id = null where session_id = $1', [taken]);
    await run('update browsers set epoch = 2 where session_id = $1', [kept]);
    assert.deepEqual([await store.browsers.orphans(), await store.browsers.hostsWithOldDriver()], [[], []]);
    await beat([taken, kept]);
    assert.deepEqual(await store.browsers.orphans(), [{ sessionId: taken, hostId, bootId, epoch: 2, isKnown: true }]);
    assert.deepEqual(await store.browsers.hostsWithOldDriver(), [
      { sessionId: kept, hostId, epoch: 2, isPerson: false },
    ]);
    await unclaim();
    // The host closed the one, and has heard of the driver of the other.
    await beat([kept], { epoch: 2 });
    assert.deepEqual([await store.browsers.orphans(), await store.browsers.hostsWithOldDriver()], [[], []]);
  });

  it('that no row knows are given to one agent each, and to another one if it does not get to the end', async () => {
    const strangers = Array.from({ length: 120 }, newId);
    await beat(strangers);
    const rounds = await byFour(() => store.browsers.orphans());
    const found = rounds.flat().map(({ sessionId }) => sessionId);
    assert.equal(new Set(found).size, found.length, 'none is given twice');
    assert.ok(rounds.every((one) => one.length <= 100));
    assert.equal((await byFour(() => store.browsers.orphans())).flat().length + found.length, 120);
    assert.deepEqual(await store.browsers.orphans(), []);
    await unclaim();
    assert.equal((await store.browsers.orphans()).length, 100);
  });

  it('that are not used are given to one agent each; those with a viewer are not', async () => {
    const ids = await given(9);
    const [watched = ''] = ids;
    await beat(ids, { idleMs: 5000, watched: [watched] });
    assert.deepEqual(await store.browsers.unused(60_000), []);
    const found = (await byFour(() => store.browsers.unused(4000))).flat().map(({ sessionId }) => sessionId);
    assert.deepEqual(found.sort(), ids.slice(1).sort());
    await unclaim();
    await beat(ids, { idleMs: 5000, watched: ids });
    assert.deepEqual(await store.browsers.unused(4000), []);
  });

  it('of a host that takes no more are given as soon as they rest; those that a program works in, when it pauses or the host leaves', async () => {
    const [resting = '', worked = ''] = await given(2);
    await run('update browsers set program_epoch = epoch where session_id = $1', [worked]);
    const found = async () => (await store.browsers.unused(60_000)).map(({ sessionId }) => sessionId).sort();
    const say = async (idleMs: number, isLeaving = false) => {
      await unclaim();
      await beat([resting, worked], { idleMs, capacity: 0, isLeaving });
    };
    await say(100);
    assert.deepEqual(await found(), [], 'a form may still be on its way');
    await say(3000);
    assert.deepEqual(await found(), [resting]);
    await say(15_000);
    assert.deepEqual(await found(), [resting, worked].sort());
    await say(100, true);
    assert.deepEqual(await found(), [worked]);
  });

  it('whose host is gone are given to one agent each', async () => {
    const ids = await given(9);
    await beat(ids);
    assert.deepEqual(await store.browsers.withoutHost(), []);
    await run('update hosts set lease_until = now()');
    const found = (await byFour(() => store.browsers.withoutHost())).flat();
    assert.deepEqual(found.sort(), ids.sort());
    assert.deepEqual(await store.browsers.withoutHost(), []);
  });

  it('of a host that claims to have rested for ages keep its heartbeat working', async () => {
    const ids = await given(1);
    assert.equal((await beat(ids, { idleMs: Number.MAX_SAFE_INTEGER })).capacity, 100);
    assert.equal((await store.browsers.unused(1000)).length, 1);
  });
});
