import assert from 'node:assert/strict';
import type { TaskResult } from '@pilothouse/contract';
import { acted, pictureOf } from '../../testing/scripted-browsers.ts';
import { failing, finishes, page, says, thinksUntilAborted } from '../../testing/scripted-mind.ts';
import { type BenchTask, type Case, describeCases, play } from '../../testing/task-bench.ts';

const view = page();
const fillName: Parameters<typeof says>[0] = ['fill', { items: [{ ref: 'e3', text: 'Ada Lovelace' }] }];
const verdict = (state: string, ...reasons: string[]) =>
  says(['verdict', { points: [{ text: 'a total', met: state === 'not' ? 'no' : 'yes' }], state, reasons }]);
const settings = { judge: true };
const verdictOf = async (task: BenchTask) => ((await task.row()).result as TaskResult).verdict;
const callsOf = async (task: BenchTask) =>
  (await task.store.modelCalls.of(task.id)).map(({ purpose, status }) => `${purpose} ${status}`);

const judged: Case[] = [
  {
    name: 'a verdict stands beside the result, and its call is counted',
    settings: { ...settings, constraints: ['Buy nothing'] },
    answers: () => [says(fillName), finishes({ total: 3 }), verdict('done', 'The page shows it.')],
    script: () => ({ view, replies: [acted()] }),
    expect: { status: 'success' },
    also: async (task, { requests }) => {
      const row = await task.row();
      assert.deepEqual(row.result, {
        ...{ summary: 'Done.', data: { total: 3 }, files: [], state: 'done' },
        verdict: { state: 'done', reasons: ['The page shows it.'], model: 'test/one' },
      });
      assert.deepEqual(await callsOf(task), ['decide ok', 'decide ok', 'judge ok']);
      assert.deepEqual([row.model_calls, row.input_tokens, row.cost_micros], [3, 300, 15]);
      const asked = JSON.stringify(requests[2]?.messages);
      assert.match(asked, /The task: p/);
      assert.match(asked, /It must hold: Buy nothing/);
      assert.match(asked, /1\. Type into \\"Name\\" - done/);
      assert.doesNotMatch(asked, /go on|check: fine/, 'what the deciding model said of itself is not in it');
      assert.doesNotMatch(asked, /Ada/, 'typed text is not in it');
      assert.equal(requests[2]?.tools.length, 1);
    },
  },
  {
    name: 'a verdict against it changes neither state nor result, and repeats no typed text',
    settings,
    answers: () => [says(fillName), finishes(), verdict('not', 'Ada Lovelace got nothing.')],
    script: () => ({ view, replies: [acted()] }),
    expect: { status: 'success', error: null },
    also: async (task) =>
      assert.deepEqual(await verdictOf(task), {
        ...{ state: 'not', model: 'test/one' },
        reasons: ['•••••• got nothing.', 'Not met: a total'],
      }),
  },
  {
    name: 'another model judges where the operator says so',
    settings,
    judgeModel: 'test/two',
    answers: () => [finishes(), verdict('unsure', 'Nothing to see.')],
    script: () => ({ view }),
    expect: { status: 'success' },
    also: (_, { requests }) =>
      assert.deepEqual(
        requests.map(({ model }) => model),
        ['test/one', 'test/two'],
      ),
  },
  {
    name: 'a judge that does not answer fails no task',
    settings,
    answers: () => [finishes(), failing('unavailable')],
    script: () => ({ view }),
    expect: { status: 'success' },
    also: async (task) => {
      assert.deepEqual((await verdictOf(task))?.reasons, ['The judge did not answer.']);
      assert.deepEqual(await callsOf(task), ['decide ok', 'judge failed']);
    },
  },
  {
    name: 'a judge that says what cannot be read is unsure',
    settings,
    answers: () => [finishes(), says(['verdict', { state: 'splendid' }, 'The input does not fit.'])],
    script: () => ({ view }),
    expect: { status: 'success' },
    also: async (task) => assert.equal((await verdictOf(task))?.state, 'unsure'),
  },
  {
    name: 'a judge gets at most eight pictures, the newest',
    settings,
    answers: () => [
      ...Array.from({ length: 10 }, (_, i) => says(['scroll', { screens: i + 1 }])),
      finishes(),
      verdict('done', 'Seen.'),
    ],
    script: () => ({ view, replies: Array.from({ length: 10 }, () => acted({ picture: pictureOf(view) })) }),
    ticks: 40,
    expect: { status: 'success' },
    also: (_, { requests }) => {
      const [message] = requests.at(-1)?.messages ?? [];
      assert.equal(message && 'pictures' in message && message.pictures?.length, 8);
    },
  },
  {
    name: 'a task that is impossible is not judged',
    settings,
    answers: () => [says(['finish', { state: 'impossible', summary: 'Closed.' }])],
    script: () => ({ view }),
    expect: { status: 'failed', error: /^Closed\.$/ },
  },
  {
    name: 'where the budget is used up, nothing is asked and the verdict says so',
    settings: { ...settings, max_tokens: 1000 },
    answers: (task) => [
      async () => {
        await task.sql('update tasks set input_tokens = 1000 where id = $1');
        return finishes();
      },
    ],
    script: () => ({ view }),
    expect: { status: 'success' },
    also: async (task) => assert.match((await verdictOf(task))?.reasons[0] ?? '', /budget was used up/),
  },
  {
    name: 'a person who cancels while the judge thinks ends the task, and the call is aborted',
    settings,
    answers: (task) => [
      finishes(),
      async (asked) => {
        await task.cancel();
        return thinksUntilAborted(asked);
      },
    ],
    script: () => ({ view }),
    expect: { status: 'cancelled' },
    also: async (task) => assert.deepEqual(await callsOf(task), ['decide ok', 'judge aborted']),
  },
  {
    name: 'what a judge used that refuses after a person cancelled is counted with its cost',
    settings,
    answers: (task) => [
      finishes(),
      async (asked) => {
        await task.cancel();
        await thinksUntilAborted(asked).catch(() => {});
        throw failing('refused', {
          usage: { input: 100, cached: 0, cacheWritten: 0, output: 10, reasoning: 0 },
          costMicros: 5,
        });
      },
    ],
    script: () => ({ view }),
    expect: { status: 'cancelled' },
    also: async (task) => {
      const row = await task.row();
      assert.deepEqual([row.input_tokens, row.output_tokens, row.cost_micros], [200, 20, 10]);
    },
  },
  {
    name: 'a call of a judge whose agent was lost is on record, and is made once more',
    settings,
    answers: () => [finishes()],
    script: () => ({ view }),
    ticks: 1,
    expect: { status: 'running' },
    also: async (task) => {
      await task.sql(
        `with counted as (update tasks set model_calls = 2 where id = $1)
         insert into model_calls (task_id, number, execution_id, purpose, model, estimated_tokens)
         values ($1, 2, $1, 'judge', 'test/one', 9)`,
      );
      const run = task.run({ view: page('h9') }, { answers: [verdict('done', 'Seen.')] });
      assert.deepEqual(await play(run), ['done']);
      assert.equal((await task.row()).status, 'success');
      assert.deepEqual(await callsOf(task), ['decide ok', 'judge lost', 'judge ok']);
      assert.equal((await verdictOf(task))?.state, 'done');
    },
  },
  {
    name: 'a judge whose agents are lost again and again is given up',
    settings,
    answers: () => [finishes()],
    script: () => ({ view }),
    ticks: 1,
    expect: { status: 'running' },
    also: async (task) => {
      await task.sql(
        `insert into model_calls (task_id, number, execution_id, purpose, model, estimated_tokens, status)
         select $1, i, $1, 'judge', 'test/one', 9, 'lost' from generate_series(2, 4) i`,
      );
      assert.deepEqual(await play(task.run({ view }, { answers: [] })), ['done']);
      assert.equal((await verdictOf(task))?.state, 'unsure');
    },
  },
];
describeCases('a judge', judged);
