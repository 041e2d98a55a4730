import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { isDue, takeRun } from '../../testing/runs.ts';
import type { Caller } from '../accounts/users.ts';
import { newId } from '../db/ids.ts';
import { openStore, type Store } from '../store.ts';

const bootId = randomUUID();
const host = { id: 'h1', boot_id: bootId };

describe('tasks that wait for a browser', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });
  const sql = (text: string, values: unknown[] = []) => store.transaction(({ client }) => client.query(text, values));
  beforeEach(async () => {
    await sql('delete from browser_waits');
    await sql('update browsers set host_id = null, boot_id = null');
  });
  const setCapacity = (capacity: number) =>
    store.hosts.renew({ hostId: host.id, bootId, capacity, sessions: [], leaseMs: 60_000 });

  async function newUser(): Promise<Caller> {
    const username = `u-${newId()}`;
    const given = { username, email: `${username}@example.test`, passwordHash: 'x' };
    const user = await store.transaction((tx) => store.users.create(tx, given));
    assert.ok(user);
    return { id: user.id, role: 'user' };
  }
  /** A task whose run has ended, because there is no browser for it. */
  async function newWaiting(owner?: Caller) {
    const user = owner ?? (await newUser());
    const [id, sessionId, agentId] = [newId(), newId(), randomUUID()];
    await store.change(sessionId, async (tx) => {
      await store.sessions.create(tx, user, { id: sessionId, viewport: { width: 1280, height: 720 } });
      const given = { id, sessionId, title: 't', prompt: 'p', plan: { steps: [] }, settings: {}, totalSteps: 1 };
      await store.tasks.create(tx, user, given);
    });
    const run = await takeRun(store, id, agentId);
    const begun = await store.transaction((tx) => store.tasks.beginExecution(tx, id, agentId, run.run));
    assert.ok(begun);
    const { executionId } = begun;
    await store.browserTurns.join(sessionId, { isPerson: false, executionId });
    await store.queue.rest(run, { afterMs: 300_000, isForBrowser: true });
    return { id, sessionId, executionId };
  }
  const take = (sessionId: string, executionId?: string) =>
    store.change(sessionId, async (tx) => {
      if (!(await store.browserTurns.take(tx, sessionId, host, executionId))) return false;
      const { epoch = 0 } = (await store.browsers.of(sessionId)) ?? {};
      return (await store.browsers.assign(tx, sessionId, { id: host.id, bootId }, epoch)) !== undefined;
    });
  const waitOf = async (sessionId: string) =>
    (await sql('select is_person, for_task from browser_waits where session_id = $1', [sessionId])).rows[0];

  it('are due when it is their turn, once, and not before', async () => {
    await setCapacity(0);
    const [first, second] = [await newWaiting(), await newWaiting()];
    assert.deepEqual(await store.browserTurns.wakeDue(), { woken: 0, waiting: 2 });
    await setCapacity(1);
    assert.deepEqual(await store.browserTurns.wakeDue(), { woken: 1, waiting: 1 });
    assert.deepEqual([await isDue(store, first.id), await isDue(store, second.id)], [true, false]);
    assert.deepEqual(await store.browserTurns.wakeDue(), { woken: 0, waiting: 1 }, 'it is due already');
    await takeRun(store, first.id);
    assert.deepEqual(await store.browserTurns.wakeDue(), { woken: 0, waiting: 1 }, 'an agent is at it');
    assert.ok(await take(first.sessionId, first.executionId));
    assert.deepEqual(await store.browserTurns.wakeDue(), { woken: 0, waiting: 1 });
  });

  it('keep their place without anybody who renews it', async () => {
    await setCapacity(0);
    const { sessionId } = await newWaiting();
    const { rows } = await sql(`select until = 'infinity' as is_kept from browser_waits where session_id = $1`, [
      sessionId,
    ]);
    assert.deepEqual(rows, [{ is_kept: true }]);
  });

  it('wait on when a person no longer does, and are due when a person has got the browser', async () => {
    await setCapacity(0);
    const { id, sessionId } = await newWaiting();
    await store.browserTurns.join(sessionId, { isPerson: true });
    assert.deepEqual(await waitOf(sessionId), { is_person: true, for_task: true });
    await store.browserTurns.leave(sessionId);
    assert.deepEqual(await waitOf(sessionId), { is_person: false, for_task: true });
    await store.browserTurns.join(sessionId, { isPerson: true });
    await setCapacity(1);
    assert.ok(await take(sessionId));
    assert.equal(await waitOf(sessionId), undefined);
    assert.ok(await isDue(store, id));
  });

  it('wait no longer when they have ended, and a person of the same session does', async () => {
    await setCapacity(0);
    const [one, other] = [await newWaiting(), await newWaiting()];
    await store.browserTurns.join(other.sessionId, { isPerson: true });
    for (const { id, sessionId } of [one, other])
      await store.change(sessionId, (tx, append) => store.cancels.cancel(tx, append, { taskId: id }, null));
    assert.equal(await waitOf(one.sessionId), undefined);
    assert.deepEqual(await waitOf(other.sessionId), { is_person: true, for_task: false });
    const failed = await newWaiting();
    await store.change(failed.sessionId, (tx) => store.tasks.move(tx, failed, 'fail', { lastError: 'late' }));
    assert.equal(await waitOf(failed.sessionId), undefined);
  });

  it('leave the queue when they rest for another reason, and that time is not theirs', async () => {
    await setCapacity(0);
    const { id, sessionId } = await newWaiting();
    await sql(`update browser_waits set since = now() - interval '60 seconds' where session_id = $1`, [sessionId]);
    await sql(`update tasks set started_at = now() - interval '100 seconds' where id = $1`, [id]);
    await store.queue.rest(await takeRun(store, id), { afterMs: 3_600_000 });
    assert.equal(await waitOf(sessionId), undefined);
    const { worked_ms = 0 } = (await store.tasks.atWork(id)) ?? {};
    assert.ok(Math.abs(worked_ms - 40_000) < 5000, `${worked_ms} ms`);
  });

  it('do not enter the queue by an agent that has lost them, and get no turn by one', async () => {
    await setCapacity(1);
    const { id, sessionId } = await newWaiting();
    await store.browserTurns.join(sessionId, { isPerson: false, executionId: newId() });
    assert.equal(await take(sessionId, newId()), false);
    assert.deepEqual(await waitOf(sessionId), { is_person: false, for_task: true }, 'the wait of the present one');
    await store.change(sessionId, (tx, append) => store.cancels.cancel(tx, append, { taskId: id }, null));
    await store.browserTurns.join(sessionId, { isPerson: false, executionId: newId() });
    assert.equal(await waitOf(sessionId), undefined);
  });

  it('leave nothing behind where they have a browser or are over, whatever happened', async () => {
    await setCapacity(2);
    const [over, served, waiting] = [await newWaiting(), await newWaiting(), await newWaiting()];
    await sql(`update tasks set status = 'failed' where id = $1`, [over.id]);
    await store.transaction((tx) => store.browsers.assign(tx, served.sessionId, { id: host.id, bootId }, 0));
    await store.browserTurns.wakeDue();
    assert.deepEqual([await waitOf(over.sessionId), await waitOf(served.sessionId)], [undefined, undefined]);
    assert.deepEqual(await waitOf(waiting.sessionId), { is_person: false, for_task: true });
  });

  it('are not charged for their wait when a person gets the browser', async () => {
    await setCapacity(1);
    const { id, sessionId } = await newWaiting();
    await sql(`update browser_waits set since = now() - interval '60 seconds' where session_id = $1`, [sessionId]);
    await sql(
      `update tasks set started_at = now() - interval '100 seconds', status = 'takeover', paused_at = now() where id = $1`,
      [id],
    );
    assert.ok(await take(sessionId));
    const { worked_ms = 0 } = (await store.tasks.atWork(id)) ?? {};
    assert.ok(Math.abs(worked_ms - 40_000) < 5000, `${worked_ms} ms`);
  });

  it('are looked after by one agent of all', async () => {
    await setCapacity(0);
    await newWaiting();
    const agents = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of agents) await sql('insert into agents (id) values ($1)', [id]);
    const looks = await Promise.all(agents.map((id) => store.browserTurns.taskWaits(id)));
    assert.deepEqual(
      looks.map(({ isAny }) => isAny),
      [true, true, true],
    );
    assert.equal(looks.filter(({ isFirst }) => isFirst).length, 1);
    const first = agents[looks.findIndex(({ isFirst }) => isFirst)];
    await sql('update agents set recovered_at = now() where id = $1', [first]);
    const rest = await Promise.all(agents.map((id) => store.browserTurns.taskWaits(id)));
    assert.equal(rest.filter(({ isFirst }) => isFirst).length, 1, 'another one when it is gone');
  });
});
