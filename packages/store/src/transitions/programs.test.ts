import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { localUser, newId, openStore, type Store } from '../index.ts';

const viewport = { width: 1280, height: 720 };

describe('programs that drive sessions', () => {
  let database: TestDatabase;
  let store: Store;
  const bootId = randomUUID();
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 10, onError: () => {} });
    await store.users.ensureLocal();
    await store.hosts.renew({ hostId: 'h1', bootId, capacity: 100, sessions: [], leaseMs: 600_000 });
  });
  after(async () => {
    await store.close();
    await database.close();
  });

  async function open({ hasBrowser = true } = {}): Promise<string> {
    const sessionId = newId();
    await store.change(sessionId, async (tx) => {
      await store.sessions.create(tx, localUser, { id: sessionId, viewport });
      if (hasBrowser) await store.browsers.assign(tx, sessionId, { id: 'h1', bootId }, 0);
    });
    return sessionId;
  }
  const drive = (sessionId: string) => store.change(sessionId, (tx) => store.programs.drive(tx, sessionId));

  it('drive under an epoch of their own, which is the same however often they ask', async () => {
    const id = await open();
    assert.deepEqual(await store.programs.stateOf(id), { hostId: 'h1', epoch: 1, isDriving: false, isTaken: false });
    const driven = await Promise.all(Array.from({ length: 5 }, () => drive(id)));
    for (const one of driven) assert.deepEqual(one, { session_id: id, host_id: 'h1', epoch: 2 });
    assert.deepEqual(await store.programs.stateOf(id), { hostId: 'h1', epoch: 2, isDriving: true, isTaken: false });
  });

  it('do not drive while a person does, and drive again afterwards under a newer epoch', async () => {
    const id = await open();
    await drive(id);
    const about = { sessionId: id, taskId: null, holderId: localUser.id, reason: null, leaseSecs: 60 };
    await store.change(id, async (tx, append) => {
      const row = await store.takeovers.request(tx, append, { ...about, tokenHash: randomBytes(32) });
      assert.ok(row);
      await store.takeovers.stop(tx, append, row);
    });
    assert.deepEqual(await store.programs.stateOf(id), { hostId: 'h1', epoch: 3, isDriving: false, isTaken: true });
    assert.equal(await drive(id), undefined);
    await store.change(id, (tx, append) => store.takeovers.endAll(tx, append, { sessionId: id }));
    assert.equal((await drive(id))?.epoch, 5);
  });

  it('drive the browser that an agent has just opened, which is live then all the same', async () => {
    const id = await open();
    const opened = { hostId: 'h1', epoch: 1 };
    const isStillAt = () => store.change(id, (tx) => store.browsers.isStillAt(tx, id, opened));
    assert.equal(await isStillAt(), true);
    await drive(id);
    assert.equal(await isStillAt(), true);
    const about = { sessionId: id, taskId: null, holderId: localUser.id, reason: null, leaseSecs: 60 };
    await store.change(id, async (tx, append) => {
      const row = await store.takeovers.request(tx, append, { ...about, tokenHash: randomBytes(32) });
      assert.ok(row);
      await store.takeovers.stop(tx, append, row);
    });
    assert.equal(await isStillAt(), false, 'a person drives');
  });

  it('do not drive while a task is open', async () => {
    const id = await open();
    const task = {
      id: newId(),
      sessionId: id,
      title: 't',
      prompt: 'p',
      plan: { steps: [] },
      settings: {},
      totalSteps: 1,
    };
    await store.change(id, (tx) => store.tasks.create(tx, localUser, task));
    assert.equal(await drive(id), undefined);
    assert.equal((await store.programs.stateOf(id))?.isTaken, true);
  });

  it('need a browser while they are connected, and their servers say that they are there', async () => {
    const [cold, warm] = [await open({ hasBrowser: false }), await open()];
    const [one, other] = [newId(), newId()];
    await store.programs.connected(one, cold, localUser.id);
    await store.programs.connected(other, warm, localUser.id);
    assert.deepEqual(await store.programs.unattended(), [cold]);
    assert.deepEqual(await store.programs.unattended([cold]), []);
    await store.transaction(({ client }) =>
      client.query(`update program_connections set seen_at = seen_at - interval '11 s' where id = $1`, [one]),
    );
    assert.deepEqual(await store.programs.unattended(), [], 'its server is gone');
    await store.programs.seen([one, other]);
    assert.deepEqual(await store.programs.unattended(), [cold]);
    await Promise.all([store.programs.disconnected(one), store.programs.disconnected(other)]);
    assert.deepEqual(await store.programs.unattended(), []);
  });

  it('connect by a ticket once, in its session, before it expires', async () => {
    const [id, elsewhere] = [await open(), await open()];
    const holder = { userId: localUser.id, loginId: null, keyId: null, byPerson: false };
    const [hash, late] = [randomBytes(32), randomBytes(32)];
    const expiresAt = await store.programs.addTicket(id, hash, holder);
    assert.ok(expiresAt.getTime() - Date.now() < 61_000);
    assert.equal(await store.programs.takeTicket(elsewhere, hash), undefined);
    const taken = await Promise.all(Array.from({ length: 5 }, () => store.programs.takeTicket(id, hash)));
    assert.deepEqual(taken.filter(Boolean), [holder]);
    await store.programs.addTicket(id, late, holder);
    await store.transaction(({ client }) =>
      client.query(`update program_tickets set expires_at = expires_at - interval '61 s'`),
    );
    assert.equal(await store.programs.takeTicket(id, late), undefined);
  });

  it('say by their ticket who wrote what they do', async () => {
    const id = await open();
    const hash = randomBytes(32);
    await store.programs.addTicket(id, hash, { userId: localUser.id, loginId: null, keyId: null, byPerson: true });
    assert.equal((await store.programs.takeTicket(id, hash))?.byPerson, true);
  });

  it('are held to the rules of their user, and to who watches', async () => {
    const [id, connection] = [await open(), newId()];
    await store.programs.connected(connection, id, localUser.id);
    const standing = async () => (await store.programs.standing([connection, newId()])).map(({ id: _, ...one }) => one);
    const [first] = await standing();
    assert.deepEqual([first?.policy, first?.isWatched], [null, false]);
    await store.transaction(({ client }) =>
      client.query(
        `insert into viewers (session_id, server_id, count, until) values ($1, $2, 1, now() + interval '1 min')`,
        [id, newId()],
      ),
    );
    assert.equal((await standing())[0]?.isWatched, true);
    await store.programs.disconnected(connection);
    assert.deepEqual(await standing(), []);
  });
});
