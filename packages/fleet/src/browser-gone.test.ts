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

  it('of a silent host is released with a line in the log, once', async () => {
    const hold = await openBrowser();
    await Promise.all([markBrowserGone(store, hold), markBrowserGone(store, hold)]);
    const line = 'log The browser is gone: its host does not answer.';
    assert.deepEqual((await eventsOf(hold.sessionId)).sort(), [line, 'status cold']);
  });

  it('of a running task is left to its agent', async () => {
    const hold = await openBrowser();
    const { sessionId } = hold;
    const task = { id: newId(), sessionId, title: 't', prompt: 'p', plan: { steps: [] }, settings: {}, totalSteps: 1 };
    await store.change(sessionId, (tx) => store.tasks.create(tx, localUser, task));
    await store.transaction((tx) => store.tasks.beginExecution(tx, task.id, randomUUID()));
    await markBrowserGone(store, hold);
    assert.equal((await store.browsers.of(sessionId))?.host_id, hostId);
    assert.equal((await store.sessions.byId(sessionId))?.browser, 'live');
  });

  it('leaves a cold session as it is', async () => {
    const { sessionId } = await openBrowser();
    for (let i = 0; i < 2; i += 1) await store.change(sessionId, (tx, append) => setCold(store, tx, append, sessionId));
    assert.deepEqual(await eventsOf(sessionId), ['status cold']);
  });
});
