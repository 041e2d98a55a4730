import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import type { Caller } from '../accounts/users.ts';
import { newId } from '../db/ids.ts';
import { openStore, type Store } from '../store.ts';

const viewport = { width: 1280, height: 720 };
const bootId = randomUUID();
const host = { id: 'h1', boot_id: bootId };

describe('the queue for browsers', () => {
  let database: TestDatabase;
  let store: Store;
  let plain: pg.Pool;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 20, onError: () => {} });
    plain = new pg.Pool({ connectionString: database.url });
  });
  after(async () => {
    await plain?.end();
    await store?.close();
    await database?.close();
  });
  beforeEach(async () => {
    await plain.query('delete from browser_waits');
    await plain.query('update browsers set host_id = null, boot_id = null');
  });

  async function newUser(): Promise<Caller> {
    const username = `u-${newId()}`;
    const given = { username, email: `${username}@example.test`, passwordHash: 'x' };
    const user = await store.transaction((tx) => store.users.create(tx, given));
    assert.ok(user);
    return { id: user.id, role: 'user' };
  }
  async function newSession(owner: Caller): Promise<string> {
    const id = newId();
    await store.change(id, (tx) => store.sessions.create(tx, owner, { id, viewport }));
    return id;
  }
  const newSessions = async (owner: Caller, count: number) => {
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) ids.push(await newSession(owner));
    return ids;
  };
  /** As the host says it with its heartbeat. */
  const setCapacity = (capacity: number, sessions: string[] = [], watched: string[] = []) =>
    store.hosts.renew({
      hostId: host.id,
      bootId,
      capacity,
      sessions: sessions.map((session_id) => ({
        session_id,
        epoch: 1,
        is_watched: watched.includes(session_id),
        idle_ms: 0,
      })),
      leaseMs: 60_000,
    });
  const epochOf = async (sessionId: string) => (await store.browsers.of(sessionId))?.epoch ?? 0;
  /** As an agent does: true where it was given a browser. */
  const take = (sessionId: string, executionId?: string) =>
    store.change(sessionId, async (tx) => {
      if (!(await store.browserTurns.take(tx, sessionId, host, executionId))) return false;
      const at = await epochOf(sessionId);
      if (!(await store.browsers.assign(tx, sessionId, { id: host.id, bootId }, at))) return false;
      await store.sessions.setBrowser(tx, sessionId, 'starting');
      return true;
    });
  const join = async (...sessionIds: string[]) => {
    for (const id of sessionIds) await store.browserTurns.join(id, { isPerson: false });
  };
  async function release(sessionId: string): Promise<void> {
    const epoch = await epochOf(sessionId);
    await store.transaction((tx) => store.browsers.release(tx, sessionId, { hostId: host.id, epoch }));
  }
  async function newTask(sessionId: string, owner: Caller, steps: object[] = [{ action: 'wait', for: { secs: 300 } }]) {
    const given = { id: newId(), sessionId, title: 't', prompt: 'p', plan: { steps }, settings: {}, totalSteps: 1 };
    const begun = await store.change(sessionId, async (tx) => {
      await store.sessions.move(tx, sessionId, 'work');
      const task = await store.tasks.create(tx, owner, given);
      return store.tasks.beginExecution(tx, task.id, randomUUID());
    });
    assert.ok(begun);
    return begun.task;
  }
  const parkAll = async (limit: number) => {
    const spare = await store.browserTurns.spare(limit);
    for (const one of spare) await store.change(one.sessionId, (tx) => store.browserTurns.park(tx, one));
    return spare.map(({ sessionId }) => sessionId);
  };

  it('gives a turn at once if no session waits and there is room, and never more than the room', async () => {
    await setCapacity(3);
    const sessions = await newSessions(await newUser(), 8);
    const taken = await Promise.all(sessions.map((one) => take(one)));
    assert.equal(taken.filter(Boolean).length, 3);
  });

  it('serves the user who waits first, and every user once before any twice', async () => {
    await setCapacity(3);
    const [one, two, three] = [await newUser(), await newUser(), await newUser()];
    const [a1, a2, a3] = await newSessions(one, 3);
    const [b1, b2] = await newSessions(two, 2);
    const [c1] = await newSessions(three, 1);
    assert.ok(a1 && a2 && a3 && b1 && b2 && c1);
    await join(a1, a2, a3, b1, b2, c1);
    assert.deepEqual(new Set(await store.browserTurns.due([a1, a2, a3, b1, b2, c1])), new Set([a1, b1, c1]));
    assert.deepEqual([await take(b2), await take(a2)], [false, false]);
    assert.deepEqual([await take(c1), await take(b1), await take(a1)], [true, true, true]);
    assert.deepEqual(await store.browserTurns.due([a2, a3, b2]), [], 'there is no room');
    // The first user was served last, so the second goes first.
    await release(c1);
    assert.deepEqual(await store.browserTurns.due([a2, a3, b2]), [b2]);
  });

  it('serves a user without a browser before one with many, however long they waited', async () => {
    await setCapacity(4);
    const [greedy, other] = [await newUser(), await newUser()];
    const [a1, a2, a3, a4, a5] = await newSessions(greedy, 5);
    assert.ok(a1 && a2 && a3 && a4 && a5);
    for (const id of [a1, a2, a3, a4]) assert.ok(await take(id));
    await join(a5);
    const b1 = await newSession(other);
    assert.equal(await take(b1), false);
    await join(b1);
    await release(a4);
    assert.deepEqual(await store.browserTurns.due([a5, b1]), [b1]);
    assert.deepEqual([await take(a5), await take(b1)], [false, true]);
    // One more place: two users, four places, so the greedy one has more than half with a fourth.
    await release(a3);
    const b2 = await newSession(other);
    await join(b2);
    assert.deepEqual(await store.browserTurns.due([a5, b2]), [b2]);
  });

  it('gives a turn to one of all agents that ask at once, in the order of the queue', async () => {
    await setCapacity(2);
    const users = await Promise.all(Array.from({ length: 6 }, newUser));
    const sessions = await Promise.all(users.map(newSession));
    await join(...sessions);
    const rounds = await Promise.all([...sessions, ...sessions].map((id) => take(id)));
    assert.equal(rounds.filter(Boolean).length, 2);
    const held = await plain.query('select session_id from browsers where host_id = $1', [host.id]);
    assert.deepEqual(new Set(held.rows.map(({ session_id }) => session_id)), new Set(sessions.slice(0, 2)));
  });

  it('serves persons first, within their share', async () => {
    await setCapacity(1);
    const [one, two] = [await newUser(), await newUser()];
    const [a1, b1] = [await newSession(one), await newSession(two)];
    await join(a1);
    await store.browserTurns.join(b1, { isPerson: true });
    assert.deepEqual(await store.browserTurns.due([a1, b1]), [b1]);
    assert.ok(await take(b1));
    const b2 = await newSession(two);
    await store.browserTurns.join(b2, { isPerson: true });
    await release(b1);
    assert.deepEqual(await store.browserTurns.due([a1, b2]), [b2], 'who has none is within it');
  });

  it('drops waits that are not renewed, and keeps the place of those that are', async () => {
    await setCapacity(1);
    const [one, two] = [await newUser(), await newUser()];
    const [a1, b1] = [await newSession(one), await newSession(two)];
    await join(a1, b1);
    assert.deepEqual(await store.browserTurns.due([a1, b1]), [a1]);
    await join(a1);
    assert.deepEqual(await store.browserTurns.due([a1, b1]), [a1], 'who asks again does not go back');
    await plain.query(`update browser_waits set until = clock_timestamp() - interval '1 ms' where session_id = $1`, [
      a1,
    ]);
    assert.deepEqual(await store.browserTurns.due([a1, b1]), [b1]);
    assert.deepEqual(await store.browserTurns.renew([a1, b1]), [b1]);
    await join(a1);
    assert.deepEqual(await store.browserTurns.due([a1, b1]), [b1], 'it came too late, and waits behind');
    await store.browserTurns.leave(b1);
    assert.deepEqual(await store.browserTurns.due([a1, b1]), [a1]);
  });

  it('lets one session at a time move to another host, and none while any waits', async () => {
    await setCapacity(1);
    const [claim, ...others] = (await Promise.all([1, 2, 3].map(() => store.moves.begin()))).toSorted();
    assert.ok(claim);
    assert.deepEqual(others, [undefined, undefined]);
    await store.moves.end(claim);
    const slow = await store.moves.begin();
    assert.ok(slow);
    await plain.query(`update job_claims set until = now() where job = 'move'`);
    const next = await store.moves.begin();
    assert.ok(next, 'the agent that moved one is dead');
    await store.moves.end(slow);
    assert.equal(await store.moves.begin(), undefined, 'it was only slow, and ends no claim but its own');
    await store.moves.end(next);
    const waiting = await newSession(await newUser());
    await join(waiting);
    assert.equal(await store.moves.begin(), undefined);
    await store.browserTurns.leave(waiting);
  });

  it('does not count waits as time of a task', async () => {
    await setCapacity(1);
    const user = await newUser();
    const id = await newSession(user);
    const task = await newTask(id, user);
    await plain.query(`update tasks set started_at = clock_timestamp() - interval '100 s' where id = $1`, [task.id]);
    await join(id);
    await plain.query(`update browser_waits set since = clock_timestamp() - interval '60 s' where session_id = $1`, [
      id,
    ]);
    const worked = async () => (await store.tasks.atWork(task.id))?.worked_ms ?? 0;
    const waiting = await worked();
    assert.ok(Math.abs(waiting - 40_000) < 2000, `${waiting}`);
    const { execution_id } = (await store.tasks.byId(task.id)) ?? {};
    assert.ok(execution_id && (await take(id, execution_id)));
    const taken = await worked();
    assert.ok(Math.abs(taken - 40_000) < 2000, `${taken}`);
  });

  it('gives no turn to an agent whose task another one has', async () => {
    await setCapacity(1);
    const user = await newUser();
    const id = await newSession(user);
    const task = await newTask(id, user);
    await join(id);
    const before = await store.tasks.byId(task.id);
    assert.equal(await take(id, newId()), false);
    assert.deepEqual(await store.tasks.byId(task.id), before);
  });

  it('is not held up by a lost browser: its session takes the same place again', async () => {
    await setCapacity(1);
    const id = await newSession(await newUser());
    assert.ok(await take(id));
    // The host has ended it without a word.
    await setCapacity(1);
    assert.equal((await store.hosts.mostFree(id))?.id, host.id);
    assert.ok(await take(id));
    assert.equal(await store.hosts.mostFree(await newSession(await newUser())), undefined, 'for nobody else');
  });

  it('parks browsers that are not needed: first of users with more than their share', async () => {
    await setCapacity(6);
    const [greedy, modest, waiting] = [await newUser(), await newUser(), await newUser()];
    const [modest1] = await newSessions(modest, 1);
    const [a1, a2, a3, a4] = await newSessions(greedy, 4);
    assert.ok(modest1 && a1 && a2 && a3 && a4);
    for (const id of [modest1, a1, a2, a3, a4]) assert.ok(await take(id));
    await setCapacity(5, [modest1, a1, a2, a3, a4], [a2]);
    // Works, sleeps, and rests while it is watched; the fourth rests.
    await newTask(a1, greedy, [{ action: 'screenshot' }]);
    const asleep = await newTask(a3, greedy);
    await store.transaction((tx) => store.browserTurns.sleep(tx, asleep.id, 300_000));
    await join(await newSession(waiting));
    assert.deepEqual(await parkAll(9), [a4, a2, a3, modest1]);
    const left = await plain.query('select session_id from browsers where host_id = $1', [host.id]);
    assert.deepEqual(left.rows, [{ session_id: a1 }], 'a task at work keeps its browser');
  });

  it('parks no browser of a task that wakes soon, that has a takeover, or that asks what its page may answer', async () => {
    await setCapacity(6);
    const user = await newUser();
    const [soon, wanted, until, doubt, asking, lately] = await newSessions(user, 6);
    assert.ok(soon && wanted && until && doubt && asking && lately);
    for (const id of [soon, wanted, until, doubt, asking, lately]) assert.ok(await take(id));
    const putToSleep = async (id: string, ms: number) => {
      const task = await newTask(id, user);
      await store.transaction((tx) => store.browserTurns.sleep(tx, task.id, ms));
      return task;
    };
    await putToSleep(soon, 29_000);
    const driven = await putToSleep(wanted, 300_000);
    await plain.query(
      `insert into takeovers (id, session_id, task_id, holder_id, requested_by, lease_secs, expires_at, token_hash)
       values ($1, $2, $3, $4, 'x', 300, now() + interval '300 s', $5)`,
      [newId(), wanted, driven.id, user.id, Buffer.from(newId())],
    );
    const ask = async (id: string, { action = 'ask', question = {}, secs = 31 }) => {
      const task = await newTask(id, user, [{ action }]);
      await plain.query(
        `update tasks set status = 'awaiting_user', question = $2, current_step = 1,
           paused_at = clock_timestamp() - make_interval(secs => $3) where id = $1`,
        [task.id, JSON.stringify({ until: null, ...question }), secs],
      );
    };
    await ask(until, { question: { until: { text: 'Done' } } });
    await ask(doubt, { action: 'click' });
    await ask(lately, { secs: 29 });
    await ask(asking, {});
    assert.deepEqual(await parkAll(9), [asking]);
    for (const sessionId of [soon, wanted, until, doubt, lately]) {
      const spare = { sessionId, hostId: host.id, epoch: await epochOf(sessionId) };
      assert.equal(await store.change(sessionId, (tx) => store.browserTurns.park(tx, spare)), undefined);
    }
  });

  it('asks a user with more than their share to leave a browser, only while another user has none', async () => {
    await setCapacity(2);
    const [greedy, other] = [await newUser(), await newUser()];
    const [a1, a2] = await newSessions(greedy, 2);
    assert.ok(a1 && a2);
    for (const id of [a1, a2]) assert.ok(await take(id));
    assert.equal(await store.browserTurns.isOverShare(a1), false);
    await join(await newSession(greedy));
    assert.equal(await store.browserTurns.isOverShare(a1), false, 'nobody else waits');
    await join(await newSession(other));
    assert.equal(await store.browserTurns.isOverShare(a1), true);
    await release(a2);
    assert.equal(await store.browserTurns.isOverShare(a1), false);
  });
});
