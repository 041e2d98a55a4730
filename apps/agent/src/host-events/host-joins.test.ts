import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, type HostKey, newHostKey, newSeed, publicKeyOf } from '@pilothouse/bus';
import { type NatsForTest, startNats, withoutAskingNats } from '@pilothouse/bus/testing';
import { createLog } from '@pilothouse/process';
import { openStore, type Store } from '@pilothouse/store';
import { createTestDatabase, hearHosts, type TestDatabase } from '@pilothouse/store/testing';
import { until } from '../../../../testkit/until.ts';
import { holdLease } from '../../../browser/src/host/lease.ts';
import { startHostJoins } from './host-joins.ts';
import { startHostReports } from './host-reports.ts';

const log = createLog('agent', 'silent');
const [joinSeed, signingSeed] = [newSeed('join'), newSeed('signing')];

describe('hosts that join', { skip: withoutAskingNats }, () => {
  let database: TestDatabase;
  let nats: NatsForTest;
  let store: Store;
  const stack = new AsyncDisposableStack();
  before(async () => {
    const issuer = publicKeyOf(signingSeed);
    [database, nats] = await Promise.all([createTestDatabase(), startNats({ agents: ['1', '2'], joins: { issuer } })]);
    stack.defer(() => database.close());
    stack.defer(() => nats.close());
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    stack.defer(() => store.close());
    await hearHosts(store);
    const bus = stack.adopt(await connectBus(nats.as('agent')), (open) => open.close());
    stack.adopt(await startHostReports({ bus, store, log, hostLeaseMs: 10_000 }), (open) => open.close());
  });
  after(() => stack.disposeAsync());

  /** Tests share an address: this machine's. */
  const agent = (id: string, { most = 3, perAddress = 3 } = {}) =>
    startHostJoins({
      store,
      log,
      bus: { servers: nats.url, user: `agent-${id}`, password: nats.as({ agent: id }).password },
      joins: { joinKeys: [publicKeyOf(joinSeed)], signingSeed, most, perAddress },
      everyMs: 50,
    });
  async function host(key: HostKey = newHostKey(joinSeed), signal?: AbortSignal) {
    const { hostId, prove } = key;
    const options = {
      servers: nats.url,
      user: `host-${hostId}`,
      name: hostId,
      prove,
      signal,
      connectTimeoutMs: 30_000,
    };
    const bus: Bus = await connectBus(options);
    const lease = holdLease({
      bus,
      log,
      hostId,
      bootId: crypto.randomUUID(),
      tell: () => ({ capacity: 4, sessions: [] }),
      onHeld: () => {},
      onOpenedElsewhere: () => {},
      keepMs: 900_000,
      onKeepOver: () => {},
      everyMs: 100,
    });
    const close = async () => {
      lease.close();
      await bus.close({ timeoutMs: 200 });
    };
    return { hostId, bus, lease, close };
  }
  const live = async () => (await store.hosts.live()).map(({ id }) => id).toSorted();

  it('come up and down, stay while agents come and go, and are no more than allowed', async () => {
    await using all = new AsyncDisposableStack();
    const agents = [await agent('1'), await agent('2')];
    const up = await Promise.all([host(), host(), host()]);
    for (const one of up) all.defer(one.close);
    const ids = up.map(({ hostId }) => hostId).toSorted();
    await until(async () => (await live()).join() === ids.join(), 20_000);

    const patience = new AbortController();
    const fourth = assert.rejects(host(undefined, patience.signal));
    for (const one of agents) await one.close();
    for (const { bus, lease } of up)
      assert.deepEqual([await bus.ping({ timeoutMs: 2000 }), lease.isHeld()], [true, true]);
    const third = await agent('1');
    all.defer(third.close);
    // NATS is started again: all come back under their ids, and still no other.
    await nats.kill();
    await nats.start();
    await until(
      async () => (await Promise.all(up.map(({ bus }) => bus.ping({ timeoutMs: 2000 })))).every(Boolean),
      30_000,
    );
    patience.abort();
    await fourth;
    const { rows } = await store.transaction((tx) => tx.client.query('select host_id from host_joins order by 1'));
    assert.deepEqual(
      rows.map(({ host_id }) => host_id),
      ids,
    );
  });

  it('that the operator removes are gone at once, and do not come back under that id', async () => {
    await store.transaction((tx) => tx.client.query('delete from host_joins; delete from hosts'));
    await using all = new AsyncDisposableStack();
    all.defer((await agent('2')).close);
    const key = newHostKey(joinSeed);
    const [bad, good] = await Promise.all([host(key), host()]);
    all.defer(bad.close);
    all.defer(good.close);
    await until(async () => (await live()).length === 2, 20_000);
    assert.equal(await store.transaction((tx) => store.hostJoins.end(tx, bad.hostId)), true);
    await until(() => !bad.bus.isConnected(), 20_000);
    await until(async () => (await store.hostJoins.toEnd()).length === 0, 20_000);
    const patience = new AbortController();
    const back = assert.rejects(host(key, patience.signal));
    const fresh = await host();
    all.defer(fresh.close);
    await until(async () => (await live()).length === 2, 20_000);
    patience.abort();
    await back;
    assert.deepEqual([bad.bus.isConnected(), good.bus.isConnected(), good.lease.isHeld()], [false, true, true]);
    assert.ok(!(await live()).includes(bad.hostId), 'the removed one is gone');
    // One of the test before may have said something last after the rows were removed; then it lives until its lease is over.
    const left = [good.hostId, fresh.hostId].toSorted().join();
    await until(async () => (await live()).join() === left, 20_000);
  });
});
