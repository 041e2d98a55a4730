import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { HostCommand, SavedState } from '@pilothouse/bus';
import { createLog } from '@pilothouse/process';
import { localUser, newId, openStore, type Store } from '@pilothouse/store';
import { createTestDatabase, hearHosts, hearNoHosts, type TestDatabase } from '@pilothouse/store/testing';
import { type Hosts, scriptBus } from '../../testing/scripted-bus.ts';
import { createPlacement } from './placement.ts';

const log = createLog('agent', 'silent');
const viewport = { width: 800, height: 600 };
const anywhere = { allow: null, deny: [] };
const full = { ok: false, failure: 'full', message: 'full', has_touched: false } as const;
const state: SavedState = { storage: { cookies: [] }, pages: [] };
const signal = new AbortController().signal;

describe('the browser of a session', () => {
  let database: TestDatabase;
  let store: Store;
  let hosts: string[] = [];
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 10, onError: () => {} });
    await store.users.ensureLocal();
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });

  /** Only these hosts are there, the first with the most room. */
  async function haveHosts(count: number, { capacity = 8 } = {}): Promise<void> {
    await store.transaction(({ client }) => client.query("update hosts set lease_until = now() - interval '1 minute'"));
    hosts = Array.from({ length: count }, (_, i) => `h${i}-${randomUUID().slice(0, 8)}`);
    for (const [i, hostId] of hosts.entries()) {
      const load = { cpu: i / 10, memory: 0 };
      await store.hosts.renew({ hostId, bootId: randomUUID(), capacity, sessions: [], load, leaseMs: 3_600_000 });
    }
  }
  const expire = (hostId: string) =>
    store.transaction(({ client }) =>
      client.query("update hosts set lease_until = now() - interval '1 minute' where id = $1", [hostId]),
    );
  async function newSession(): Promise<string> {
    const id = newId();
    await store.change(id, (tx) => store.sessions.create(tx, localUser, { id, viewport, recording: false }));
    return id;
  }
  function place(answers: Hosts, used = store, now?: () => number) {
    const messages: HostCommand[] = [];
    const { bus, asked } = scriptBus({
      ...answers,
      host: (hostId, message) => {
        messages.push(message);
        return answers.host?.(hostId, message) ?? { ok: true };
      },
    });
    const { ensure } = createPlacement({ store: used, bus, log, now });
    return { asked, messages, ensure };
  }
  const open = async (reach = anywhere) => {
    const id = await newSession();
    const handle = await place({}).ensure({ id, viewport, reach }, { signal });
    return { session: { id, viewport, reach }, handle };
  };
  const browserOf = async (id: string) => (await store.sessions.byId(id))?.browser;
  const told = async (id: string) =>
    (await store.events.last(id, 100))
      .filter(({ kind }) => kind === 'status')
      .map(({ data }) => (data.session as { browser: string }).browser);

  it('is not opened for a session that was closed in the same moment, nor for a task that is no longer at work', async () => {
    await haveHosts(1);
    const id = await newSession();
    await store.change(id, (tx) => store.sessions.move(tx, id, 'close'));
    const { ensure, messages } = place({});
    await assert.rejects(ensure({ id, viewport, reach: anywhere }, { isPerson: true, signal }), /session was closed/);
    await assert.rejects(
      ensure({ id, viewport, reach: anywhere }, { executionId: randomUUID(), signal }),
      (error: Error) => error.name === 'NoBrowserYet',
    );
    assert.deepEqual([messages, (await store.browsers.of(id))?.host_id], [[], undefined]);
  });

  it('is opened where no host has it, under the first epoch, and viewers are told', async () => {
    await haveHosts(2);
    const id = await newSession();
    const { ensure, asked } = place({});
    assert.deepEqual(await ensure({ id, viewport, reach: anywhere }, { signal }), {
      hostId: hosts[0],
      epoch: 1,
      openedEpoch: 1,
    });
    assert.deepEqual(asked, [`${hosts[0]} open`]);
    assert.deepEqual(await told(id), ['starting', 'live']);
  });

  it('is used as it is where it is open, and its host is not asked', async () => {
    await haveHosts(1);
    const { session, handle } = await open();
    const { ensure, asked } = place({});
    assert.deepEqual(await ensure(session, { signal }), handle);
    assert.deepEqual(asked, []);
  });

  it('is said to be live by the next agent, where the one that opened it died before it could', async () => {
    await haveHosts(1);
    const { session } = await open();
    await store.change(session.id, (tx) => store.sessions.setBrowser(tx, session.id, 'starting'));
    await place({}).ensure(session, { signal });
    assert.equal(await browserOf(session.id), 'live');
  });

  it('waits for a host without a lease that may come back, and goes on there under the same epoch', async () => {
    await haveHosts(2);
    const { session, handle } = await open();
    await hearNoHosts(store);
    await expire(handle.hostId);
    const { ensure, asked } = place({});
    const waiting = ensure(session, { signal });
    await assert.rejects(ensure(session, { signal: AbortSignal.timeout(600) }), /aborted|timeout/i);
    assert.deepEqual(asked, []);
    await store.transaction(({ client }) =>
      client.query("update hosts set lease_until = now() + interval '1 hour' where id = $1", [handle.hostId]),
    );
    assert.deepEqual(await waiting, handle);
    assert.deepEqual(asked, []);
  });

  it('is opened at another host under the next epoch once its host is known to be gone', async () => {
    await haveHosts(2);
    const { session, handle } = await open();
    await hearNoHosts(store);
    await expire(handle.hostId);
    const waiting = place({}).ensure(session, { signal });
    await hearHosts(store);
    const again = await waiting;
    assert.deepEqual([again.hostId, again.epoch], [hosts[1], handle.epoch + 1]);
  });

  it('is opened again under the next epoch, with its saved state, where it was found lost', async () => {
    await haveHosts(1);
    const { session, handle } = await open();
    await store.transaction((tx) => store.browsers.saveState(tx, session.id, handle.epoch, state));
    const { ensure, messages } = place({});
    const again = await ensure(session, { lost: handle.epoch, signal });
    assert.deepEqual([again.epoch, again.openedEpoch], [2, 2]);
    assert.deepEqual(
      messages.map((message) => message.type === 'open' && message.state),
      [state],
    );
  });

  it('is opened at another host where the one that lost it is still there', async () => {
    await haveHosts(2);
    const { session, handle } = await open();
    const again = await place({}).ensure(session, { lost: handle.epoch, signal });
    assert.deepEqual([handle.hostId, again.hostId], [hosts[0], hosts[1]]);
  });

  it('that is parked is opened again, and is live after it was cold', async () => {
    await haveHosts(1);
    const { session, handle } = await open();
    await store.change(session.id, async (tx) => {
      assert.ok(await store.browsers.release(tx, session.id, handle));
      await store.sessions.setBrowser(tx, session.id, 'cold');
    });
    assert.equal((await place({}).ensure(session, { signal })).epoch, 2);
    assert.equal(await browserOf(session.id), 'live');
  });

  it('is opened elsewhere where a host says it is full, and no browser of another session is closed for it', async () => {
    await haveHosts(2);
    const { handle: other } = await open();
    const id = await newSession();
    const { ensure, asked, messages } = place({ host: (hostId) => (hostId === hosts[0] ? { ok: true } : full) });
    const { hostId } = await ensure({ id, viewport, reach: anywhere }, { signal });
    assert.equal(other.hostId, hosts[0]);
    assert.equal(hostId, hosts[0]);
    assert.deepEqual(asked, [`${hosts[1]} open`, `${hosts[0]} open`]);
    assert.ok(messages.every(({ type }) => type === 'open'));
    assert.equal((await store.hosts.list()).find(({ id: one }) => one === hosts[1])?.isShunned, true);
  });

  it('is not asked for again at a host that did not answer before two seconds have passed', async () => {
    await haveHosts(1);
    const id = await newSession();
    const askedAt: number[] = [];
    let atMs = 0;
    // Every look for a host takes half a second of this clock.
    const mostFree: Store['hosts']['mostFree'] = (...given) => {
      atMs += 500;
      return store.hosts.mostFree(...given);
    };
    const { ensure } = place(
      { host: () => (askedAt.push(atMs) === 1 ? 'no_responders' : { ok: true }) },
      { ...store, hosts: { ...store.hosts, mostFree } },
      () => atMs,
    );
    await ensure({ id, viewport, reach: anywhere }, { signal });
    assert.deepEqual(askedAt, [500, 3000]);
  });

  it('is at each host as often as at any other where many sessions begin at once', async () => {
    await haveHosts(4);
    const { ensure } = place({});
    const ids = await Promise.all(Array.from({ length: 8 }, newSession));
    const handles = await Promise.all(ids.map((id) => ensure({ id, viewport, reach: anywhere }, { signal })));
    const counts = hosts.map((host) => handles.filter(({ hostId }) => hostId === host).length);
    assert.deepEqual(counts, [2, 2, 2, 2]);
  });

  it('is opened elsewhere where no process answers for a host', async () => {
    await haveHosts(2);
    const id = await newSession();
    const { ensure, asked } = place({ host: (hostId) => (hostId === hosts[0] ? 'no_responders' : { ok: true }) });
    assert.equal((await ensure({ id, viewport, reach: anywhere }, { signal })).hostId, hosts[1]);
    assert.deepEqual(asked, [`${hosts[0]} open`, `${hosts[1]} open`]);
  });

  it('is closed and opened again where the task may reach other domains, and keeps its state', async () => {
    await haveHosts(1);
    const { session } = await open();
    const reach = { allow: ['shop.test'], deny: [] };
    const { ensure, asked, messages } = place({
      host: (_, { type }) => (type === 'close' ? { ok: true, state } : { ok: true }),
    });
    assert.equal((await ensure({ ...session, reach }, { signal })).epoch, 2);
    assert.deepEqual(asked, [`${hosts[0]} close`, `${hosts[0]} open`]);
    assert.deepEqual(
      messages.map((message) => message.type === 'open' && [message.state, message.reach]),
      [false, [state, reach]],
    );
    assert.deepEqual(await told(session.id), ['starting', 'live', 'cold', 'starting', 'live']);
  });

  it('that its host does not close is taken from it under a new epoch all the same', async () => {
    await haveHosts(1);
    const { session } = await open();
    const reach = { allow: ['shop.test'], deny: [] };
    const { ensure } = place({ host: (_, { type }) => (type === 'close' ? 'timeout' : { ok: true }) });
    assert.equal((await ensure({ ...session, reach }, { signal })).epoch, 2);
  });

  it('that another agent opens in the same moment is used, and not opened twice', async () => {
    await haveHosts(1);
    const id = await newSession();
    const session = { id, viewport, reach: anywhere };
    let isFirst = true;
    const quicker: Store = {
      ...store,
      hosts: {
        ...store.hosts,
        mostFree: async (...given) => {
          if (isFirst) await place({}).ensure(session, { signal });
          isFirst = false;
          return store.hosts.mostFree(...given);
        },
      },
    };
    const { ensure, asked } = place({}, quicker);
    assert.equal((await ensure(session, { signal })).epoch, 1);
    assert.deepEqual(asked, []);
  });

  it('is opened for a person where a person needs it', async () => {
    await haveHosts(1);
    const { ensure, messages } = place({});
    await ensure({ id: await newSession(), viewport, reach: anywhere }, { isPerson: true, signal });
    assert.deepEqual(
      messages.map((message) => message.type === 'open' && message.is_person),
      [true],
    );
  });

  it('is waited for where no host has room, and the session keeps its place when the time is over', async () => {
    await haveHosts(1, { capacity: 1 });
    const { session: other } = await open();
    const task = { id: newId(), sessionId: other.id, title: 't', prompt: 'p', plan: { steps: [] }, settings: {} };
    await store.change(other.id, async (tx) => {
      await store.sessions.move(tx, other.id, 'work');
      await store.tasks.create(tx, localUser, { ...task, totalSteps: 0 });
    });
    const id = await newSession();
    let looks = 0;
    let onThirdLook = () => {};
    const spare: Store['browserTurns']['spare'] = (...given) => {
      looks += 1;
      if (looks === 3) onThirdLook();
      return store.browserTurns.spare(...given);
    };
    const { ensure, asked } = place({}, { ...store, browserTurns: { ...store.browserTurns, spare } });
    /** Waits while the queue looks twice for a browser that can be closed, and is stopped for this reason. */
    const waitUntil = async (reason: Error) => {
      const stopped = new AbortController();
      looks = 0;
      onThirdLook = () => stopped.abort(reason);
      await ensure({ id, viewport, reach: anywhere }, { signal: stopped.signal });
    };
    await assert.rejects(waitUntil(new DOMException('it is late', 'TimeoutError')), { name: 'TimeoutError' });
    assert.deepEqual(asked, [], 'the browser of a task at work is not closed');
    assert.deepEqual(await store.browserTurns.renew([id]), [id]);
    await assert.rejects(waitUntil(new Error('the task is over')), /the task is over/);
    assert.deepEqual(await store.browserTurns.renew([id]), [], 'a task that is over leaves the queue');
  });
});
