import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { until } from '../../../../testkit/until.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { localUser, newId, openStore, type Store } from '../index.ts';

const viewport = { width: 1280, height: 720 };

describe('the queue of tasks', () => {
  let database: TestDatabase;
  let store: Store;
  let told = 0;
  before(async () => {
    database = await createTestDatabase();
    const onQueued = () => {
      told += 1;
    };
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 20, onError: () => {}, onQueued });
    await store.users.ensureLocal();
  });
  after(async () => {
    await store?.close();
    await database?.close();
  });
  const sql = (text: string, values: unknown[] = []) => store.transaction(({ client }) => client.query(text, values));
  beforeEach(() => sql(`update tasks set status = 'failed', run_due_at = null, run_agent_id = null`));

  async function newTask(sessionId: string = newId()): Promise<{ id: string; sessionId: string }> {
    const id = newId();
    await store.change(sessionId, async (tx, append) => {
      if (!(await store.sessions.locked(tx, sessionId)))
        await store.sessions.create(tx, localUser, { id: sessionId, viewport });
      const given = { id, sessionId, title: 't', prompt: 'p', plan: { steps: [] }, settings: {}, totalSteps: 1 };
      await store.tasks.create(tx, localUser, given);
      await append({ taskId: id, kind: 'log', data: {} });
    });
    return { id, sessionId };
  }
  const claim = (agentId = randomUUID(), limit = 100) => store.queue.claim(agentId, limit);
  const ids = (runs: { id: string }[]) => runs.map(({ id }) => id);
  /** As an agent that takes the only task that is due, and begins it. */
  async function begin(sessionId: string, agentId = randomUUID()) {
    const [run] = await claim(agentId);
    assert.ok(run);
    const begun = await store.change(sessionId, (tx) => store.tasks.beginExecution(tx, run.id, agentId, run.run));
    assert.ok(begun);
    return { run, agentId, held: { id: run.id, executionId: begun.executionId } };
  }
  const ask = (held: { id: string; executionId: string }) =>
    store.transaction((tx) => store.questions.ask(tx, held, { text: '?', stepId: 'step-1', expiresInSecs: 60 }, null));
  const answer = (id: string) => store.transaction((tx) => store.questions.answer(tx, id, { text: 'yes' }));

  it('gives each task that is due to one of the agents that ask at once', async () => {
    const made: string[] = [];
    for (let i = 0; i < 40; i += 1) made.push((await newTask()).id);
    const claimed = (await Promise.all(Array.from({ length: 10 }, () => claim(randomUUID(), 7)))).flat();
    assert.deepEqual(ids(claimed).toSorted(), made.toSorted());
    assert.deepEqual(await claim(), []);
  });

  it('says after the commit that work is due, and not before', async () => {
    const before = told;
    let during = -1;
    const sessionId = newId();
    await store.change(sessionId, async (tx) => {
      await store.sessions.create(tx, localUser, { id: sessionId, viewport });
      const given = { id: newId(), sessionId, title: 't', prompt: 'p', plan: {}, settings: {}, totalSteps: 1 };
      await store.tasks.create(tx, localUser, given);
      during = told;
    });
    assert.deepEqual([during, told], [before, before + 1]);
  });

  it('gives the tasks of a session one after the other, in their order, also while the first waits for a person', async () => {
    const first = await newTask();
    const second = await newTask(first.sessionId);
    const third = await newTask(first.sessionId);
    const { held, run } = await begin(first.sessionId);
    assert.equal(held.id, first.id);
    assert.ok(await ask(held));
    await store.queue.rest(run);
    assert.deepEqual(await claim(), [], 'a waiting task keeps those behind it in line');
    assert.ok(await answer(first.id));
    const [again] = await claim();
    assert.deepEqual(again, { id: first.id, run: 2, executionId: held.executionId, traceparent: null });
    await store.change(first.sessionId, (tx) => store.tasks.move(tx, held, 'finish', { result: {} }));
    assert.deepEqual(ids(await claim()), [second.id]);
    await store.change(first.sessionId, (tx, append) => store.cancels.cancel(tx, append, { taskId: second.id }, null));
    assert.deepEqual(ids(await claim()), [third.id]);
  });

  it('keeps a wake-up that comes before the run has said that it waits', async () => {
    const { sessionId } = await newTask();
    const { held, run } = await begin(sessionId);
    await ask(held);
    await answer(held.id);
    assert.deepEqual(await claim(), [], 'the run is not over yet');
    assert.equal(await store.queue.rest(run), true);
    assert.deepEqual(ids(await claim()), [held.id]);
  });

  it('gives a task that waits for a clock at its time, or when a person wants to take over', async () => {
    const { sessionId } = await newTask();
    const { run, held } = await begin(sessionId);
    assert.equal(await store.queue.rest(run, { afterMs: 300 }), false);
    assert.deepEqual(await claim(), []);
    await until(async () => ids(await claim()).includes(held.id), 5000);
    await store.queue.rest({ id: held.id, run: 2 }, { afterMs: 3_600_000 });
    const takeover = { sessionId, taskId: held.id, holderId: localUser.id, reason: null, leaseSecs: 60 };
    await store.change(sessionId, (tx, append) =>
      store.takeovers.request(tx, append, { ...takeover, tokenHash: Buffer.alloc(32) }),
    );
    assert.deepEqual(ids(await claim()), [held.id]);
  });

  it('lets the next run continue the execution of one that rested, and fences one whose agent is gone', async () => {
    const { sessionId } = await newTask();
    const { run, held, agentId } = await begin(sessionId);
    await store.queue.rest(run, { afterMs: 0 });
    const next = randomUUID();
    const [continued] = await claim(next);
    assert.equal(continued?.executionId, held.executionId);
    assert.equal(await store.queue.recover(agentId), 0, 'it is the work of another agent now');
    assert.equal(await store.queue.recover(next), 1);
    const last = randomUUID();
    const [fresh] = await claim(last);
    assert.ok(fresh && continued);
    assert.deepEqual([fresh.run, fresh.executionId], [continued.run + 1, null]);
    const late = await store.transaction((tx) => store.tasks.beginExecution(tx, held.id, next, continued.run));
    assert.equal(late, undefined, 'an agent that wakes late does not take it back');
    assert.ok(await store.transaction((tx) => store.tasks.beginExecution(tx, held.id, last, fresh.run)));
    assert.equal(await store.tasks.isHeld(held.id, held.executionId), false);
    assert.equal(await store.queue.rest(continued, { afterMs: 0 }), false);
    assert.deepEqual(await store.queue.heldBy(last), [{ id: held.id, run: fresh.run }], 'nor does it give it away');
  });

  it('takes nothing that has ended, and gives back what an agent had when it stopped', async () => {
    const [one, other] = [await newTask(), await newTask()];
    await store.change(one.sessionId, (tx, append) => store.cancels.cancel(tx, append, { taskId: one.id }, null));
    const agentId = randomUUID();
    assert.deepEqual(ids(await claim(agentId)), [other.id]);
    assert.equal(await store.queue.giveBack(agentId), 1);
    assert.deepEqual(ids(await claim()), [other.id]);
  });
});
