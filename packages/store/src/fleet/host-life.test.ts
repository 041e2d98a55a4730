import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { localUser, newId, openStore, type Store } from '../index.ts';

const viewport = { width: 1280, height: 720 };
const hearing = { isHearing: true, settleMs: 10_000, validMs: 5000 };

describe('a host whose lease is over', () => {
  let database: TestDatabase;
  let store: Store;
  let agentId: string;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
  });
  beforeEach(async () => {
    await run('delete from agents');
    agentId = randomUUID();
    await store.agents.beat(agentId);
  });
  after(async () => {
    await store.close();
    await database.close();
  });
  const run = (text: string, values: unknown[] = []) => store.transaction((tx) => tx.client.query(text, values));
  const beat = (isHearing = true) => store.agents.beat(agentId, { ...hearing, isHearing });
  /** As if so much time had passed for the agents, in which none of them could write. */
  const passAgents = (secs: number) =>
    run(
      `update agents set hears_from = hears_from - make_interval(secs => $1),
           hears_until = hears_until - make_interval(secs => $1)`,
      [secs],
    );

  /** A session at a host whose lease ended a moment ago. */
  async function lapsed() {
    const [id, hostId, bootId] = [newId(), `h-${newId()}`, randomUUID()];
    await store.hosts.renew({ hostId, bootId, capacity: 8, sessions: [], leaseMs: 60_000 });
    await store.change(id, (tx) => store.sessions.create(tx, localUser, { id, viewport, recording: false }));
    await store.transaction((tx) => store.browsers.assign(tx, id, { id: hostId, bootId }, 0));
    await store.change(id, (tx) => store.sessions.setBrowser(tx, id, 'live'));
    await run(`update hosts set lease_until = now() - interval '1 ms' where id = $1`, [hostId]);
    return { id, hostId, bootId };
  }
  async function judge(id: string) {
    const row = await store.browsers.of(id);
    const isListed = (await store.browsers.withoutHost()).includes(id);
    assert.equal(isListed, row?.is_gone, 'every statement judges alike');
    return { isLive: row?.is_live, isGone: row?.is_gone };
  }

  it('is gone only once an agent has heard hosts for long enough without a break', async () => {
    const { id } = await lapsed();
    const unknown = { isLive: false, isGone: false };
    assert.deepEqual(await judge(id), unknown, 'no agent has said that it hears hosts');
    await beat();
    assert.deepEqual(await judge(id), unknown, 'it has only just begun to hear them');
    await passAgents(4);
    await beat();
    await passAgents(4);
    await beat();
    assert.deepEqual(await judge(id), unknown, 'for eight seconds');
    await passAgents(4);
    assert.deepEqual(await judge(id), { isLive: false, isGone: true });
    await beat(false);
    assert.deepEqual(await judge(id), unknown, 'it no longer hears hosts');
  });

  it('may live after PostgreSQL was away, until hosts have had the time to renew their leases', async () => {
    await beat();
    await passAgents(4);
    await beat();
    await passAgents(4);
    await beat();
    const { id } = await lapsed();
    await passAgents(30);
    assert.deepEqual(await judge(id), { isLive: false, isGone: false }, 'before the first beat after it');
    assert.equal(await store.transaction((tx) => store.browsers.releaseGone(tx, id)), false);
    await beat();
    assert.deepEqual(await judge(id), { isLive: false, isGone: false }, 'after it');
    for (let i = 0; i < 3; i += 1) {
      await passAgents(4);
      await beat();
    }
    assert.deepEqual(await judge(id), { isLive: false, isGone: true });
    assert.equal(await store.transaction((tx) => store.browsers.releaseGone(tx, id)), true);
  });

  it('is gone whatever agents hear if the host started again', async () => {
    const { id, hostId } = await lapsed();
    const restarted = { hostId, bootId: randomUUID(), capacity: 8, sessions: [], leaseMs: 60_000 };
    await store.hosts.renew(restarted);
    assert.deepEqual(await judge(id), { isLive: false, isGone: true });
  });

  it('is told with its next lease which of its browsers were opened elsewhere, and no others', async () => {
    const [kept, moved, parked, raised] = [await lapsed(), await lapsed(), await lapsed(), await lapsed()];
    const { hostId, bootId } = kept;
    await run('update browsers set host_id = $1, boot_id = $2 where session_id = any ($3)', [
      hostId,
      bootId,
      [moved, parked, raised].map(({ id }) => id),
    ]);
    const other = { id: 'other', bootId: randomUUID() };
    await store.transaction(async (tx) => {
      await store.browsers.assign(tx, moved.id, other, 1);
      await store.browsers.fence(tx, raised.id);
      const fence = await store.browsers.fence(tx, parked.id);
      await store.browsers.release(tx, parked.id, { hostId, epoch: fence?.epoch ?? 0 });
    });
    const sessions = [kept, moved, parked, raised].map(({ id }) => {
      return { session_id: id, epoch: 1, is_watched: false, idle_ms: 0 };
    });
    const told = { hostId, capacity: 8, leaseMs: 60_000 };
    const renewal = await store.hosts.renew({ ...told, bootId, sessions });
    assert.deepEqual(renewal.openedElsewhere, [{ session_id: moved.id, epoch: 2 }]);
    const nothing = await store.hosts.renew({ ...told, bootId, sessions: [] });
    assert.deepEqual(nothing.openedElsewhere, []);
    const forged = sessions.map((one) => ({ ...one, session_id: 'no id' }));
    assert.deepEqual((await store.hosts.renew({ ...told, bootId, sessions: forged })).openedElsewhere, []);
  });

  it('that comes back with a browser that was given up is asked to close it', async () => {
    const { id, hostId, bootId } = await lapsed();
    await store.transaction((tx) => store.browsers.release(tx, id, { hostId, epoch: 1 }));
    const sessions = [{ session_id: id, epoch: 1, is_watched: false, idle_ms: 0 }];
    await store.hosts.renew({ hostId, bootId, capacity: 8, sessions, leaseMs: 60_000 });
    const orphans = (await store.browsers.orphans()).filter(({ sessionId }) => sessionId === id);
    assert.deepEqual(orphans, [{ sessionId: id, hostId, bootId, epoch: 1, isKnown: true }]);
  });
});
