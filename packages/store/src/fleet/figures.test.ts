import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { takeRun } from '../../testing/runs.ts';
import { localUser } from '../accounts/users.ts';
import { newId } from '../db/ids.ts';
import { openStore, type Store } from '../store.ts';

describe('figures of the installation', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });
  const sql = (text: string, values: unknown[] = []) => store.transaction(({ client }) => client.query(text, values));
  beforeEach(async () => {
    for (const table of ['browser_waits', 'hosts', 'agents']) await sql(`delete from ${table}`);
    await sql(`update tasks set status = 'failed', finished_at = now()`);
  });

  async function newTask(sessionId = newId()) {
    const id = newId();
    await store.change(sessionId, async (tx) => {
      if (!(await store.sessions.byId(sessionId)))
        await store.sessions.create(tx, localUser, { id: sessionId, viewport: { width: 1280, height: 720 } });
      const given = { id, sessionId, title: 't', prompt: 'p', plan: { steps: [] }, settings: {}, totalSteps: 1 };
      await store.tasks.create(tx, localUser, given);
    });
    return { id, sessionId };
  }
  /** A task that an agent works on. */
  async function newRunning() {
    const task = await newTask();
    const agentId = randomUUID();
    const run = await takeRun(store, task.id, agentId);
    const begun = await store.transaction((tx) => store.tasks.beginExecution(tx, task.id, agentId, run.run));
    assert.ok(begun);
    return { ...task, run, executionId: begun.executionId };
  }
  const figures = async () =>
    Object.fromEntries((await store.figures.tasks()).map(({ status, cause, count }) => [`${status} ${cause}`, count]));

  it('say what each open task waits for', async () => {
    assert.deepEqual(await figures(), {});
    const { sessionId } = await newTask();
    await newTask(sessionId);
    await newRunning();
    const browser = await newRunning();
    await store.browserTurns.join(browser.sessionId, { isPerson: false, executionId: browser.executionId });
    await store.queue.rest(browser.run, { isForBrowser: true });
    const clock = await newRunning();
    await store.queue.rest(clock.run, { afterMs: 300_000 });
    const due = await newRunning();
    await store.queue.rest(due.run, { afterMs: 0 });
    for (const kind of ['approval', 'plan', 'yes_no']) {
      const { id } = await newRunning();
      await sql(
        `update tasks set status = 'awaiting_user', paused_at = now(), question = jsonb_build_object('kind', $2::text)
         where id = $1`,
        [id, kind],
      );
    }
    const { id: taken } = await newRunning();
    await sql(`update tasks set status = 'takeover', paused_at = now() where id = $1`, [taken]);
    assert.deepEqual(await figures(), {
      'pending agent': 1,
      'pending session': 1,
      'running null': 1,
      'running browser': 1,
      'running clock': 1,
      'running agent': 1,
      'awaiting_user approval': 1,
      'awaiting_user plan': 1,
      'awaiting_user question': 1,
      'takeover takeover': 1,
    });
  });

  it('say that a task waits for its model: for an answer, or until it may ask again', async () => {
    const { id: taskId, executionId } = await newRunning();
    const given = { purpose: 'decide', model: 'm', estimatedTokens: 1 };
    const call = await store.transaction((tx) => store.modelCalls.begin(tx, { taskId, executionId }, given));
    assert.ok(call);
    assert.deepEqual(await figures(), { 'running model': 1 });
    await store.transaction((tx) => store.modelCalls.end(tx, call, { status: 'failed', retryAfterMs: 300_000 }));
    assert.deepEqual(await figures(), { 'running model': 1 });
    await sql('update model_calls set retry_at = now() where task_id = $1', [taskId]);
    assert.deepEqual(await figures(), { 'running null': 1 });
  });

  it('say for how long the first has waited, and count no more than they should', async () => {
    const [first] = [await newTask(), await newTask()];
    await sql(`update tasks set run_due_at = now() - interval '90 seconds' where id = $1`, [first.id]);
    const [agent] = await store.figures.tasks();
    assert.equal(agent?.count, 2);
    assert.ok(agent.oldestSecs >= 90 && agent.oldestSecs < 600, `${agent.oldestSecs}`);
    const [bounded] = await store.figures.tasks(1);
    assert.equal(bounded?.count, 1);
    assert.ok(bounded.oldestSecs >= 90, 'the oldest are counted first');
  });

  it('count the slots of living hosts, and who is away', async () => {
    const nothing = await store.figures.fleet();
    assert.deepEqual([nothing.hosts, nothing.slots, nothing.freeSlots, nothing.agents], [0, 0, 0, 0]);
    const host = (hostId: string, more: object) =>
      store.hosts.renew({ hostId, bootId: randomUUID(), capacity: 3, sessions: [], leaseMs: 60_000, ...more });
    const open = { session_id: newId(), epoch: 1, is_watched: false, idle_ms: 0 };
    await host('h1', { sessions: [open] });
    await host('h2', { leaseMs: 0 });
    await host('h3', {});
    await sql(`update hosts set shunned_until = now() + interval '1 minute', session_count = 3 where id = 'h3'`);
    await sql(`insert into agents (id, seen_at, recovered_at) values
      (gen_random_uuid(), now(), null), (gen_random_uuid(), now() - interval '1 minute', null),
      (gen_random_uuid(), now() - interval '1 minute', now())`);
    const { sessionId } = await newTask();
    await store.browserTurns.join(sessionId, { isPerson: true });
    assert.deepEqual(await store.figures.fleet(), {
      ...{ hosts: 2, shunnedHosts: 1, goneHosts: 1, slots: 6, freeSlots: 2 },
      ...{ agents: 1, missingAgents: 1, waitingTasks: 0, waitingPersons: 1 },
    });
  });

  it('add up what all users store', async () => {
    const ids = [randomUUID(), randomUUID()];
    await sql('insert into stored_bytes (user_id, pictures, states) values ($1, 100, 7), ($2, 50, 0)', ids);
    await sql('update users set file_bytes = 30');
    const { kinds, databaseBytes } = await store.storedBytes.totals();
    assert.ok(databaseBytes > 1e6);
    assert.deepEqual(
      kinds.map(({ kind, total, largest }) => [kind, total, largest]),
      [
        ['pictures', 150, 100],
        ['states', 7, 7],
        ['files', 30, 30],
      ],
    );
  });
});
