import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { localUser, newId, openStore, type Store } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import { markBrowserGone, releaseBrowser, setCold } from './browser-gone.ts';
import { type BrowserHold, holdOf } from './browser-hold.ts';

const hostId = 'h1';
const bootId = randomUUID();

describe('a browser that is gone', () => {
  let database: TestDatabase;
  let store: Store;

  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
    await store.hosts.renew({ hostId, bootId, capacity: 100, sessions: [], leaseMs: 60_000, maxSessions: 100 });
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });

  async function openBrowser(): Promise<BrowserHold> {
    const sessionId = newId();
    const viewport = { width: 800, height: 600 };
    await store.change(sessionId, async (tx) => {
      await store.sessions.create(tx, localUser, { id: sessionId, viewport });
      await store.browsers.assign(tx, sessionId, { id: hostId, bootId }, 0);
      await store.sessions.setBrowser(tx, sessionId, 'live');
    });
    const at = await store.transaction((tx) => store.browsers.at(tx, sessionId));
    assert.ok(at);
    return holdOf(at);
  }
  const eventsOf = async (sessionId: string) =>
    (await store.events.last(sessionId, 10)).map(({ kind, data }) => {
      if (kind === 'status') return `status ${(data.session as { browser: string }).browser}`;
      return `${kind} ${(data.log as { message: string }).message}`;
    });

  it('is released, and followers of its session are told once', async () => {
    const hold = await openBrowser();
    const release = () => store.change(hold.sessionId, (tx, append) => releaseBrowser(store, tx, append, hold));
    assert.deepEqual([await release(), await release()], [true, false]);
    assert.equal((await store.browsers.of(hold.sessionId))?.host_id, null);
    assert.equal((await store.sessions.byId(hold.sessionId))?.browser, 'cold');
    assert.deepEqual(await eventsOf(hold.sessionId), ['status cold']);
  });

  it('stays with a newer driver, or with another host', async () => {
    const hold = await openBrowser();
    const { sessionId } = hold;
    for (const other of [
      { ...hold, epoch: hold.epoch - 1 },
      { ...hold, hostId: 'h2' },
    ])
      await markBrowserGone(store, other);
    assert.equal((await store.browsers.of(sessionId))?.host_id, hostId);
    assert.equal((await store.sessions.byId(sessionId))?.browser, 'live');
    assert.deepEqual(await eventsOf(sessionId), []);
  });

  it('of a silent host is released under a new epoch with a line in the log, once', async () => {
    const hold = await openBrowser();
    const marked = await Promise.all([markBrowserGone(store, hold), markBrowserGone(store, hold)]);
    assert.deepEqual(marked.toSorted(), [false, true]);
    const line = 'log The browser is gone: its host does not answer.';
    assert.deepEqual((await eventsOf(hold.sessionId)).sort(), [line, 'status cold']);
    const row = await store.browsers.of(hold.sessionId);
    assert.deepEqual([row?.host_id, row?.epoch], [null, hold.epoch + 1]);
  });

  it('stays with a running task, whose agent finds out by itself', async () => {
    const hold = await openBrowser();
    const { sessionId } = hold;
    const plan = { steps: [] };
    const given = { id: newId(), sessionId, title: 't', prompt: 'p', plan, settings: {}, totalSteps: 1 };
    await store.change(sessionId, (tx) => store.tasks.create(tx, localUser, given));
    const setStatus = (status: string) =>
      store.transaction(({ client }) => client.query('update tasks set status = $2 where id = $1', [given.id, status]));
    await setStatus('running');
    assert.equal(await markBrowserGone(store, hold), false);
    assert.equal((await store.browsers.of(sessionId))?.epoch, hold.epoch);
    assert.deepEqual(await eventsOf(sessionId), []);
    await setStatus('awaiting_user');
    assert.equal(await markBrowserGone(store, hold), true);
  });

  it('is found at a host that still has it, under an older epoch or the same', async () => {
    const [givenUp, released, held] = [await openBrowser(), await openBrowser(), await openBrowser()];
    await markBrowserGone(store, givenUp);
    await store.change(released.sessionId, (tx, append) => releaseBrowser(store, tx, append, released));
    const sessions = [givenUp, released, held].map(({ sessionId, epoch }) => ({
      session_id: sessionId,
      epoch,
      is_watched: false,
      idle_ms: 0,
    }));
    await store.hosts.renew({ hostId, bootId, capacity: 100, sessions, leaseMs: 60_000, maxSessions: 100 });
    const expected = [{ ...givenUp, epoch: givenUp.epoch + 1 }, released];
    const byId = (a: BrowserHold, b: BrowserHold) => a.sessionId.localeCompare(b.sessionId);
    const orphans = (await store.browsers.orphans()).map(({ sessionId, epoch }) => ({ hostId, sessionId, epoch }));
    assert.deepEqual(orphans.toSorted(byId), expected.toSorted(byId));
  });

  it('leaves a cold session as it is', async () => {
    const { sessionId } = await openBrowser();
    for (let i = 0; i < 2; i += 1) await store.change(sessionId, (tx, append) => setCold(store, tx, append, sessionId));
    assert.deepEqual(await eventsOf(sessionId), ['status cold']);
  });
});
