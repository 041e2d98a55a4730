import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { localUser, newId, openStore, type Store } from '../index.ts';

const viewport = { width: 1280, height: 720 };

describe('tasks', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 20, onError: () => {} });
    await store.users.ensureLocal();
  });
  after(async () => {
    await store.close();
    await database.close();
  });

  async function newTask() {
    const sessionId = newId();
    return store.change(sessionId, async (tx) => {
      await store.sessions.create(tx, localUser, { id: sessionId, viewport });
      const given = {
        id: newId(),
        sessionId,
        title: 't',
        prompt: 'p',
        plan: { steps: [] },
        settings: {},
        totalSteps: 1,
      };
      return store.tasks.create(tx, localUser, given);
    });
  }
  const begin = (id: string) => store.transaction((tx) => store.tasks.beginExecution(tx, id, randomUUID()));

  it('belong to the execution that began last, and obey no other', async () => {
    const { id } = await newTask();
    const first = await begin(id);
    const second = await begin(id);
    assert.ok(first && second);
    assert.equal(second.task.attempt, 2);
    const finish = (executionId: string) =>
      store.transaction((tx) => store.tasks.move(tx, { id, executionId }, 'finish'));
    assert.equal(await finish(first.executionId), undefined, 'the one that was replaced changes nothing');
    assert.equal((await store.tasks.byId(id))?.status, 'running');
    assert.equal((await finish(second.executionId))?.status, 'success');
    assert.equal(await begin(id), undefined, 'what has ended is not begun again');
  });

  it('end once, also with several attempts at the same time', async () => {
    const { id } = await newTask();
    const { executionId } = (await begin(id)) ?? { executionId: '' };
    const moves = ['finish', 'fail', 'cancel'] as const;
    const ends = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        store.transaction((tx) => store.tasks.move(tx, { id, executionId }, moves[i % 3] ?? 'fail')),
      ),
    );
    assert.equal(ends.filter(Boolean).length, 1);
  });

  it('count executions since their last finished step, while they run', async () => {
    const { id } = await newTask();
    const fruitless = async () => (await begin(id))?.task.fruitless;
    assert.deepEqual([await fruitless(), await fruitless()], [1, 2]);
    const { executionId } = (await begin(id)) ?? { executionId: '' };
    await store.transaction(async (tx) => {
      const step = { taskId: id, executionId, index: 1, title: 'x' };
      for (const status of ['failed', 'success'] as const) {
        const begun = await store.steps.begin(tx, step, { commandId: newId(), epoch: 1 });
        assert.equal(begun?.task.fruitless, 3, 'a failed attempt is no progress');
        assert.ok(await store.steps.end(tx, step, begun?.attempt.try ?? 0, { status }));
      }
    });
    const again = await begin(id);
    assert.equal(again?.task.fruitless, 1);
    const question = { text: 'Well?', stepId: 'step-1', expiresInSecs: 60 };
    const held = { id, executionId: again?.executionId ?? '' };
    await store.transaction((tx) => store.questions.ask(tx, held, question, null));
    assert.equal(await fruitless(), 1, 'one that waits for a person need not make progress');
  });

  it('know where their events begin', async () => {
    const task = await newTask();
    const append = (taskId: string) =>
      store.change(task.session_id, (_tx, log) => log({ taskId, kind: 'log', data: {} }));
    assert.equal((await append(task.id)).seq, task.first_seq);
  });

  it('count the attempts at a step, and end each once', async () => {
    const { id } = await newTask();
    const { executionId } = (await begin(id)) ?? { executionId: '' };
    const step = { taskId: id, executionId, index: 1, title: 'x' };
    const intend = (by = step) =>
      store.transaction((tx) => store.steps.begin(tx, by, { commandId: newId(), epoch: 1, hostId: 'h1' }));
    const end = (status: 'success' | 'interrupted', attempt: number, by = step) =>
      store.transaction((tx) => store.steps.end(tx, by, attempt, { status }));
    const first = (await intend())?.attempt;
    assert.deepEqual([first], await store.steps.of(id), 'it is returned as it is written');
    assert.equal(first?.try, 1);
    assert.equal((await store.executions.listOf(id))[0]?.host_id, 'h1');
    const former = { ...step, executionId: newId() };
    assert.deepEqual([await intend(former), await end('success', 1, former)], [undefined, undefined]);
    assert.equal((await end('interrupted', 1))?.status, 'interrupted');
    assert.equal(await end('success', 1), undefined, 'an ended attempt stays as it is');
    assert.equal((await intend())?.attempt.try, 2);
  });
});

describe('browsers', () => {
  it('are assigned to one host under one new epoch, also by several agents at the same time', async () => {
    const database = await createTestDatabase();
    const store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 20, onError: () => {} });
    try {
      await store.users.ensureLocal();
      const { id } = await store.transaction((tx) => store.sessions.create(tx, localUser, { viewport }));
      for (const before of [0, 1]) {
        const given = await Promise.all(
          Array.from({ length: 10 }, (_, i) =>
            store.transaction((tx) => store.browsers.assign(tx, id, { id: `h${i}`, bootId: randomUUID() }, before)),
          ),
        );
        const taken = given.filter((row) => row !== undefined);
        assert.equal(taken.length, 1);
        assert.equal(taken[0]?.epoch, before + 1);
      }
    } finally {
      await store.close();
      await database.close();
    }
  });
});
