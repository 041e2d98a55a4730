import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Plan, type Step } from '@pilothouse/contract';
import { createTestDatabase } from '../../testing/database.ts';
import { localUser } from '../accounts/users.ts';
import { newId } from '../db/ids.ts';
import { openStore, type Store } from '../store.ts';

const click = (name: string): Step => ({ action: 'click', target: name });
const usage = { input: 1000, cached: 400, cacheWritten: 0, output: 50, reasoning: 10 };

describe('decisions of a model', () => {
  let store: Store;
  let close: () => Promise<void>;

  before(async () => {
    const database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
    close = async () => {
      await store.close();
      await database.close();
    };
  });
  after(() => close());

  /** A task without steps, taken by an execution. */
  async function newTask() {
    const [id, sessionId] = [newId(), newId()];
    const executionId = await store.change(sessionId, async (tx) => {
      await store.sessions.create(tx, localUser, {
        id: sessionId,
        viewport: { width: 1, height: 1 },
        recording: false,
      });
      const task = { id, sessionId, title: 't', prompt: 'p', plan: { steps: [] }, settings: {}, totalSteps: null };
      await store.tasks.create(tx, localUser, task);
      return (await store.tasks.beginExecution(tx, id, newId()))?.executionId ?? '';
    });
    const held = { taskId: id, executionId };
    return {
      id,
      held,
      steps: async () => Plan.parse((await store.tasks.byId(id))?.plan).steps,
      beginCall: (by = held) =>
        store.change(sessionId, (tx) =>
          store.modelCalls.begin(tx, by, { purpose: 'decide', model: 'm', estimatedTokens: 9 }),
        ),
      decide: (steps: Step[], by = held) =>
        store.change(sessionId, (tx) =>
          store.decisions.add(tx, by, {
            callNumber: 1,
            goal: 'g',
            evaluation: null,
            thinking: null,
            actions: { version: 1 },
            steps,
            url: null,
            viewHash: null,
            view: null,
            readMessages: 0,
          }),
        ),
      begin: (index: number) =>
        store.change(sessionId, (tx) =>
          store.steps.begin(tx, { ...held, index, title: 's' }, { commandId: newId(), epoch: 1 }),
        ),
      change: <T>(work: Parameters<typeof store.change<T>>[1]) => store.change(sessionId, work),
    };
  }

  it('append their steps to the plan, and number them', async () => {
    const task = await newTask();
    const first = await task.decide([click('A'), click('B')]);
    const second = await task.decide([click('C')]);
    assert.deepEqual([first?.number, first?.first_step, first?.last_step, first?.status], [1, 1, 2, 'open']);
    assert.deepEqual([second?.number, second?.first_step, second?.last_step], [2, 3, 3]);
    assert.deepEqual(await task.steps(), [click('A'), click('B'), click('C')]);
  });

  it('that have no step are done at once', async () => {
    const task = await newTask();
    const decision = await task.decide([]);
    assert.deepEqual([decision?.status, decision?.first_step, decision?.last_step], ['done', 1, 0]);
  });

  it('of an execution that no longer holds the task are refused, and leave no step', async () => {
    const task = await newTask();
    assert.equal(await task.decide([click('A')], { ...task.held, executionId: newId() }), undefined);
    assert.deepEqual(await task.steps(), []);
  });

  it('that are cut keep the steps that were begun, and the next decision goes on behind them', async () => {
    const task = await newTask();
    await task.decide([click('A'), click('B'), click('C')]);
    await task.begin(1);
    const cut = (number: number) => task.change((tx) => store.decisions.cut(tx, { ...task.held, number }, 'why'));
    assert.ok(await cut(1));
    assert.deepEqual(await task.steps(), [click('A')]);
    assert.equal(await cut(1), undefined, 'once');
    const next = await task.decide([click('D')]);
    assert.equal(next?.first_step, 2);
    assert.ok(await cut(2));
    assert.deepEqual(await task.steps(), [click('A')], 'one that was not begun leaves nothing');
    const rows = await store.decisions.of(task.id);
    assert.deepEqual(
      rows.map(({ status, cut_reason, last_step }) => [status, cut_reason, last_step]),
      [
        ['cut', 'why', 1],
        ['cut', 'why', 1],
      ],
    );
  });

  it('know what people said since', async () => {
    const task = await newTask();
    await task.decide([click('A')]);
    assert.equal((await store.decisions.newest(task.id))?.has_new_messages, false);
    await task.change((tx) => store.taskMessages.add(tx, { taskId: task.id, authorId: localUser.id, text: 'Stop' }));
    const newest = await store.decisions.newest(task.id);
    assert.deepEqual([newest?.has_new_messages, newest?.was_driven], [true, false]);
  });

  it('cost what their calls used, counted once', async () => {
    const task = await newTask();
    const call = await task.beginCall();
    assert.ok(call);
    const end = () => task.change((tx) => store.modelCalls.end(tx, call, { status: 'ok', usage, costMicros: 7 }));
    assert.ok(await end());
    assert.equal(await end(), undefined, 'an ended call is not ended again');
    const row = await store.tasks.byId(task.id);
    assert.deepEqual(
      [row?.model_calls, row?.input_tokens, row?.cached_tokens, row?.output_tokens, row?.cost_micros],
      [1, 1000, 400, 50, 7],
    );
  });

  it('of a lost agent leave a call that is lost, and counted as one', async () => {
    const task = await newTask();
    await task.beginCall();
    assert.equal(await task.change((tx) => store.modelCalls.lose(tx, task.id)), 1);
    const call = await task.beginCall();
    assert.equal(call?.number, 2);
    assert.deepEqual(
      (await store.modelCalls.of(task.id)).map(({ status }) => status),
      ['lost', 'begun'],
    );
    assert.equal((await store.tasks.byId(task.id))?.model_calls, 2);
  });

  it('are not asked for by an execution that no longer holds the task', async () => {
    const task = await newTask();
    assert.equal(await task.beginCall({ ...task.held, executionId: newId() }), undefined);
    assert.equal((await store.tasks.byId(task.id))?.model_calls, 0);
  });
});
