import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localUser, planItemsOf, questionOf } from '@pilothouse/store';
import { failing, finishes, page, type Said, says, thinksUntilAborted } from '../../testing/scripted-mind.ts';
import { type BenchTask, type Case, describeCases, play } from '../../testing/task-bench.ts';
import { planIn } from './plan-tool.ts';

const view = page();
const settings = { confirm: 'plan' } as const;
const lantern = { items: [{ text: 'Find the lantern', site: 'shop.test' }, { text: 'Buy it' }] };
const plans = (input: object = lantern) => says(['plan', input]);
const allText = (request: { messages: object[] } | undefined) => JSON.stringify(request?.messages);
const callsOf = async (task: BenchTask) =>
  (await task.store.modelCalls.of(task.id)).map(({ purpose, status }) => `${purpose} ${status}`);
const say = (task: BenchTask, text: string) =>
  task.store.change(task.sessionId, (tx) =>
    task.store.taskMessages.add(tx, { taskId: task.id, authorId: localUser.id, text }),
  );
/** Goes on with the task as another agent would. */
async function goOn(task: BenchTask, ...answers: Said[]) {
  const run = task.run({ view }, { answers });
  const nexts = await play(run);
  assert.equal(run.unsaid(), 0);
  return { nexts, requests: run.requests, calls: run.calls };
}

const cases: Case[] = [
  {
    name: 'is asked for first, without a browser, and waits for a yes; then it is part of every request',
    settings,
    answers: () => [plans()],
    expect: {
      nexts: ['wait'],
      status: 'awaiting_user',
      question: /^Is this plan right\?\n1\. Find the lantern \(shop\.test\)\n2\. Buy it$/,
      attempts: [],
      calls: [],
    },
    also: async (task, { requests: [request] }) => {
      assert.deepEqual(
        request?.tools.map(({ name }) => name),
        ['plan'],
      );
      const row = await task.row();
      const { kind, plan_items, choices, takes_words } = questionOf(row) ?? {};
      assert.deepEqual([kind, plan_items, takes_words], ['plan', lantern.items, true]);
      assert.deepEqual(choices, [{ value: 'yes', label: 'Start' }]);
      assert.deepEqual(planItemsOf(row), lantern.items);
      assert.deepEqual([row.model_calls, row.input_tokens, row.cost_micros], [1, 100, 5]);
      const { rows } = await task.store.transaction(({ client }) =>
        client.query(`select data from events where task_id = $1 and kind = 'status' order by seq desc limit 1`, [
          task.id,
        ]),
      );
      assert.deepEqual(rows[0].data.status.plan_items, lantern.items, 'the stream has it');

      assert.ok(await task.answer('  OK '));
      const { requests } = await goOn(task, says(['remember', { text: 'x' }]), finishes());
      assert.match(allText(requests[0]), /agreed to this plan.*1\. Find the lantern/);
      assert.deepEqual(requests[1]?.messages[0], requests[0]?.messages[0], 'requests begin alike');
      assert.deepEqual(await callsOf(task), ['plan ok', 'decide ok', 'decide ok']);
    },
  },
  {
    name: 'that a person has changed is the one that counts',
    settings,
    answers: () => [plans()],
    expect: { nexts: ['wait'] },
    also: async (task) => {
      const items = [{ text: 'Only look at it' }];
      assert.ok(await task.store.change(task.sessionId, (tx) => task.store.questions.agree(tx, task.id, { items })));
      const { requests } = await goOn(task, finishes());
      assert.match(allText(requests[0]), /agreed to this plan.*1\. Only look at it/);
      assert.doesNotMatch(allText(requests[0]), /Buy it/);
      const again = task.store.change(task.sessionId, (tx) => task.store.questions.agree(tx, task.id, { items }));
      assert.equal(await again, undefined, 'only while it is asked for');
    },
  },
  {
    name: 'is made again with what a person says, three times; then only a yes or a changed plan is taken',
    settings,
    answers: () => [plans()],
    expect: { nexts: ['wait'] },
    also: async (task) => {
      for (const words of ['Not today', 'Cheaper', 'A blue one']) {
        assert.ok(await task.answer(words));
        const { nexts, requests } = await goOn(task, plans({ items: [{ text: `Do it: ${words}` }] }));
        assert.deepEqual(nexts, ['wait']);
        assert.match(allText(requests[0]), new RegExp(`Find the lantern.*A person says: ${words}`));
      }
      assert.match(questionOf(await task.row())?.text ?? '', /Do it: A blue one/);
      assert.equal(questionOf(await task.row())?.takes_words, false);
      assert.equal(await task.answer('Red'), undefined);
      assert.equal((await task.row()).plan_agreed_at, null);
      assert.ok(await task.answer('Go on'));
      await goOn(task, finishes());
      assert.equal((await task.row()).status, 'success');
    },
  },
  {
    name: 'that cannot be used goes back to the model, and ends the task after three times',
    settings,
    answers: () => [says(), plans({ items: [] }), says(['plan', {}, 'The input does not fit: items'])],
    expect: { status: 'failed', error: /3 plans in a row that cannot be used.*does not fit: items/ },
    also: async (task, { requests }) => {
      assert.match(allText(requests[1]), /could not be used: You did not call the tool plan/);
      assert.equal((await task.row()).input_tokens, 300, 'all of them are counted');
    },
  },
  {
    name: 'is asked of the next model where one refuses, and has what people said before',
    settings,
    rows: (task) => say(task, 'In blue, please'),
    answers: () => [failing('unauthorized'), plans()],
    expect: { nexts: ['again', 'wait'], status: 'awaiting_user' },
    also: (_, { requests }) => {
      assert.deepEqual(
        requests.map(({ model }) => model),
        ['test/one', 'test/two'],
      );
      assert.match(allText(requests[1]), /A person says: In blue, please/);
    },
  },
  {
    name: 'of an agent that was lost while the model answered is asked for again by another',
    settings,
    rows: async (task) => {
      const held = { taskId: task.id, executionId: await task.earlierRun() };
      const call = { purpose: 'plan', model: 'test/one', estimatedTokens: 7 };
      await task.store.change(task.sessionId, (tx) => task.store.modelCalls.begin(tx, held, call));
    },
    answers: () => [plans()],
    expect: { nexts: ['wait'], status: 'awaiting_user', logs: ['1 call of a model ended without an answer'] },
    also: async (task) => assert.deepEqual(await callsOf(task), ['plan lost', 'plan ok']),
  },
  {
    name: 'of a task that is cancelled while the model answers is not asked about',
    settings,
    answers: (task) => [
      async (asked) => {
        await task.cancel();
        return thinksUntilAborted(asked);
      },
    ],
    expect: { nexts: ['done'], status: 'cancelled', question: null },
    also: async (task) => assert.deepEqual(await callsOf(task), ['plan aborted']),
  },
  {
    name: 'that comes when the task is over is not written, and is paid for',
    settings,
    answers: (task) => [
      async () => {
        await task.cancel();
        return plans();
      },
    ],
    expect: { nexts: ['done'], status: 'cancelled', question: null },
    also: async (task) => {
      assert.deepEqual(await callsOf(task), ['plan aborted']);
      assert.equal((await task.row()).plan_items, null);
      assert.equal((await task.row()).input_tokens, 100);
    },
  },
  {
    name: 'for which the limits leave no room ends the task with a sentence',
    settings: { ...settings, max_tokens: 150 },
    answers: () => [],
    expect: { status: 'failed', error: /leave no call of a model after its plan/ },
  },
];
describeCases('the plan of a task', cases);

describe('the items of a plan', () => {
  it('are one line each, and hold nothing that cannot be stored', () => {
    const input = {
      items: [
        { text: ' Open\n2. Pay \u0000it ', site: ' ' },
        { text: 'Look', site: 'a.test\n' },
      ],
    };
    assert.deepEqual(planIn([{ id: 'c', name: 'plan', input }]), [
      { text: 'Open 2. Pay it' },
      { text: 'Look', site: 'a.test' },
    ]);
    for (const items of [[], [{ text: '\n' }], [{ text: 'x'.repeat(201) }], Array(13).fill({ text: 'x' }), 'x'])
      assert.equal(typeof planIn([{ id: 'c', name: 'plan', input: { items } }]), 'string', JSON.stringify(items));
  });
});
