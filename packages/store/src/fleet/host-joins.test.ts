import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createTestDatabase, hearHosts, hearNoHosts, type TestDatabase } from '../../testing/database.ts';
import { openStore, type Store } from '../index.ts';

describe('hosts that join', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 20, onError: () => {} });
    await hearHosts(store);
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });
  beforeEach(() => run('delete from host_joins; delete from hosts'));

  const run = (text: string) => store.transaction((tx) => tx.client.query(text));
  let numbers = 0;
  const bounds = { most: 3, perAddress: 1 };
  const knock = (hostId: string, address: string, options: { isInvited?: boolean; perAddress?: number } = {}) => {
    const { isInvited = true, ...other } = options;
    const newcomer = { hostId, publicKey: `key of ${hostId}`, address, isInvited, server: 'N', number: numbers++ };
    return store.transaction((tx) => store.hostJoins.admit(tx, newcomer, { ...bounds, ...other }));
  };
  const beat = (hostId: string) =>
    store.hosts.renew({ hostId, bootId: randomUUID(), capacity: 4, sessions: [], leaseMs: 60_000 });
  /** As if a minute had passed in which no host was heard. */
  const lapse = () =>
    run(`update hosts set lease_until = lease_until - interval '2 min';
         update host_join_connections set opened_at = opened_at - interval '2 min'`);
  const toEnd = async () => (await store.hostJoins.toEnd()).map(({ number }) => number).toSorted((a, b) => a - b);
  /** Until a statement of this database waits for another's lock. */
  const untilWaiting = async () => {
    const signal = AbortSignal.timeout(10_000);
    for (;;) {
      const { rows } = await store.transaction((tx) =>
        tx.client.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      );
      if (rows.length > 0) return;
      await setTimeout(10, undefined, { signal });
    }
  };
  const isIn = async () => {
    const { rows } = await store.transaction((tx) =>
      tx.client.query<{ host_id: string }>('select host_id from host_joins where ended_at is null order by 1'),
    );
    return rows.map(({ host_id }) => host_id);
  };

  it('come in by an invitation, and come back without one', async () => {
    assert.equal(await knock('a', '1', { isInvited: false }), 'uninvited');
    assert.equal(await knock('a', '1'), undefined);
    assert.equal(await knock('a', '1', { isInvited: false }), undefined);
    assert.equal(await knock('a', '9', { isInvited: false }), undefined, 'from wherever');
    await beat('a');
    await lapse();
    assert.equal(await knock('a', '1', { isInvited: false }), undefined, 'also after it was away');
    assert.deepEqual(await toEnd(), []);
  });

  it('open no more connections than are ended', async () => {
    const answers: (string | undefined)[] = [];
    for (let i = 0; i < 20; i += 1) answers.push(await knock('a', '1'));
    assert.deepEqual(answers.slice(15), [undefined, 'too_many', 'too_many', 'too_many', 'too_many']);
    const oldest = await store.hostJoins.toEnd();
    assert.equal(oldest.length, 8);
    for (const connection of oldest) await store.hostJoins.hasEnded(connection);
    assert.equal(await knock('a', '1'), undefined);
  });

  it('have no lease once they were ended, also where a heartbeat was under way', async () => {
    await knock('a', '1');
    await beat('a');
    const isWritten = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const ending = store.transaction(async (tx) => {
      await store.hostJoins.end(tx, 'a');
      isWritten.resolve();
      await mayCommit.promise;
    });
    await isWritten.promise;
    const late = assert.rejects(beat('a'), /was ended/);
    await untilWaiting();
    mayCommit.resolve();
    await Promise.all([ending, late]);
  });

  it('are no more than there are places, however many come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => knock(`h${index % 20}`, `address ${index % 20}`)),
    );
    const count = (what: string | undefined) => answers.filter((answer) => answer === what).length;
    // Each comes twice, with its two connections.
    assert.deepEqual([count(undefined), count('full')], [6, 34]);
    assert.equal((await isIn()).length, 3);
  });

  it('are one at each address, also when many come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => knock(`h${index}`, 'one')));
    assert.equal(answers.filter((answer) => answer === undefined).length, 1);
    assert.ok(answers.every((answer) => answer === undefined || answer === 'address_taken'));
    assert.equal(await knock('more', 'one', { perAddress: 2 }), undefined);
  });

  it('give their place to a new one only when they are away, and are ended then', async () => {
    for (const id of ['a', 'b', 'c']) {
      assert.equal(await knock(id, id), undefined);
      await beat(id);
    }
    assert.equal(await knock('d', 'd'), 'full');
    assert.equal(await knock('d', 'a'), 'address_taken');
    await lapse();
    await beat('b');
    const [first] = [numbers - 5];
    assert.equal(await knock('d', 'd'), undefined);
    assert.deepEqual(await isIn(), ['b', 'c', 'd']);
    assert.deepEqual(await toEnd(), [first], 'the connection of the one that was away longest');
    await assert.rejects(beat('a'), /was ended/, 'what is still connected gets no lease');
    assert.equal(await knock('a', 'a'), 'ended', 'also with an invitation');
    assert.equal(await knock('e', 'c'), undefined, 'a new one at the same address');
    assert.deepEqual(await isIn(), ['b', 'd', 'e']);
  });

  it('keep their places while no agent hears hosts', async () => {
    for (const id of ['a', 'b', 'c']) {
      await knock(id, id);
      await beat(id);
    }
    await lapse();
    await hearNoHosts(store);
    assert.equal(await knock('d', 'd'), 'full');
    await hearHosts(store);
    assert.equal(await knock('d', 'd'), undefined);
  });

  it('that the operator removed lose their lease and all connections, and stay out', async () => {
    await knock('a', '1');
    await knock('a', '1');
    await knock('b', '2');
    await beat('a');
    const end = (id: string) => store.transaction((tx) => store.hostJoins.end(tx, id));
    assert.deepEqual([await end('a'), await end('a'), await end('nobody')], [true, false, false]);
    assert.deepEqual(await store.hosts.live(), []);
    await assert.rejects(beat('a'), /was ended/);
    assert.equal(await knock('a', '1'), 'ended');
    assert.deepEqual(await toEnd(), [numbers - 4, numbers - 3].toSorted());
    for (const connection of await store.hostJoins.toEnd()) await store.hostJoins.hasEnded(connection);
    assert.deepEqual(await toEnd(), []);
    await run(
      `update host_joins set ended_at = ended_at - interval '10 days', joined_at = joined_at - interval '10 days'`,
    );
    await store.hostJoins.sweep(100);
    assert.equal(await knock('a', '1'), 'ended');
  });

  it('have eight connections at most: the oldest end', async () => {
    for (let count = 0; count < 11; count += 1) await knock('a', '1');
    assert.deepEqual(await toEnd(), [numbers - 11, numbers - 10, numbers - 9]);
  });

  it('are forgotten when they were replaced long ago, or never came back', async () => {
    await knock('a', '1');
    await lapse();
    await knock('b', '1');
    assert.equal(await store.hostJoins.sweep(100), 0);
    await run(`update host_joins set ended_at = ended_at - interval '2 hours'`);
    assert.equal(await store.hostJoins.sweep(100), 0, 'it may still be connected');
    for (const connection of await store.hostJoins.toEnd()) await store.hostJoins.hasEnded(connection);
    assert.equal(await store.hostJoins.sweep(100), 1);
    await run(`update host_join_connections set opened_at = opened_at - interval '2 days'`);
    assert.equal(await store.hostJoins.sweep(100), 1);
    assert.equal(await knock('b', '1', { isInvited: false }), 'uninvited');
  });
});
