import assert from 'node:assert/strict';
import { acted } from '../../testing/scripted-browsers.ts';
import { finishes, handle, page, says } from '../../testing/scripted-mind.ts';
import { type Case, describeCases, play } from '../../testing/task-bench.ts';

/** What the click is decided on: it changes the page, so the page has to come to rest. */
const before = page('h0');
const seen = page('h1');
const later = page('h2', { text: 'Total: 4' });
const third = page('h3', { text: 'Total: 5' });
const clickBuy: Parameters<typeof says>[0] = ['click', { ref: 'e1' }];
const impossible = says(['finish', { state: 'impossible', summary: 'The shop refuses it.' }]);
const allText = (request: { messages: object[] } | undefined) => JSON.stringify(request?.messages);
const sees = (calls: string[]) => calls.filter((call) => call === 'see').length;
const settleMs = 60;
const refusals = async (task: Parameters<NonNullable<Case['also']>>[0]) =>
  (await task.store.decisions.of(task.id)).map(
    ({ actions }) => (actions as { calls: { refused?: string }[] }).calls[0]?.refused ?? null,
  );
const form = page('h1', {
  handles: [handle('e1', 'Send', { submits: true })],
});

const done: Case[] = [
  {
    name: 'a finish on a page that stays the same is accepted after one more look, without another call',
    settleMs,
    answers: () => [says(clickBuy), finishes({ total: 3 })],
    script: () => ({ views: [before], view: seen, replies: [acted()] }),
    expect: { status: 'success' },
    also: (_, { requests, calls }) => assert.deepEqual([requests.length, sees(calls)], [2, 3]),
  },
  {
    name: 'a page that changed after the model saw it is shown to the model again',
    settleMs,
    answers: () => [says(clickBuy), finishes({ total: 3 }), finishes({ total: 4 })],
    script: () => ({ views: [before, seen], view: later, replies: [acted()] }),
    expect: { status: 'success' },
    also: async (task, { requests }) => {
      assert.match(allText(requests[2]), /Not finished: the page changed after you saw it/);
      assert.match(allText(requests[2]), /Total: 4/);
      assert.deepEqual(((await task.row()).result as { data: object }).data, { total: 4 });
      const [, first, last] = await refusals(task);
      assert.match(first ?? '', /^Not finished: the page changed/);
      assert.equal(last, null);
    },
  },
  {
    name: 'a page that never comes to rest is taken as it is, without another call',
    settleMs: 20,
    answers: () => [says(clickBuy), finishes({ total: 3 })],
    script: () => ({ views: [before, seen, later, third, page('h4')], view: page('h5'), replies: [acted()] }),
    expect: { status: 'success' },
    also: (_, { requests, calls }) => assert.deepEqual([requests.length, sees(calls)], [2, 5]),
  },
  {
    name: 'a model is asked again at most twice, however often the page changes',
    settleMs: 20,
    answers: () => [says(clickBuy), finishes(), finishes(), finishes()],
    script: () => ({
      views: [before, seen, later, later, later, third, third, third, page('h4'), page('h4')],
      replies: [acted()],
    }),
    ticks: 20,
    expect: { status: 'success' },
    also: (_, { requests }) => assert.equal(requests.length, 4),
  },
  {
    name: 'where the last step changed nothing and is old enough, no time is added',
    settleMs: 60,
    answers: (task) => [
      says(clickBuy),
      async () => {
        await task.sql(`update steps set effect_at = effect_at - interval '1 minute' where task_id = $1`);
        return finishes({ total: 3 });
      },
    ],
    script: () => ({ view: seen, replies: [acted()] }),
    expect: { status: 'success' },
    also: (_, { calls }) => assert.equal(sees(calls), 2),
  },
  {
    name: 'a finish of a lost agent is checked by the next one, and what was put off stays so',
    settleMs: 20,
    answers: () => [says(clickBuy), finishes({ total: 3 })],
    script: () => ({ views: [before, seen], view: later, replies: [acted()] }),
    ticks: 3,
    expect: { status: 'running' },
    also: async (task) => {
      const next = task.run({ view: later }, { answers: [finishes({ total: 4 })], settleMs: 20 });
      // It opens the page under a new epoch, puts the finish off, and asks.
      const nexts = await play(next);
      assert.equal(nexts.at(-1), 'done');
      assert.match(allText(next.requests[0]), /Not finished: the page changed after you saw it/);
      assert.deepEqual(((await task.row()).result as { data: object }).data, { total: 4 });
    },
  },
  {
    name: 'a page that cannot be read any more does not hold a finish back',
    settleMs: 20,
    answers: () => [says(clickBuy), finishes({ total: 3 })],
    script: () => ({ views: [before, seen], replies: [acted()] }),
    expect: { status: 'success' },
  },
  {
    name: 'the last call that a budget allows is accepted as it is',
    settleMs: 20,
    settings: { max_tokens: 300 },
    answers: () => [says(clickBuy), finishes({ total: 3 })],
    script: () => ({ views: [before, seen], view: later, replies: [acted()] }),
    expect: { status: 'success' },
    also: (_, { requests, calls }) => assert.deepEqual([requests.length, sees(calls)], [2, 2]),
  },
];
describeCases('a finish and the page', done);

const submits: Case[] = [
  {
    name: 'impossible shortly after a form was sent gets one more look and one more call',
    answers: () => [says(clickBuy), impossible, finishes()],
    script: () => ({ view: form, replies: [acted()] }),
    expect: { status: 'success' },
    also: (_, { requests }) => assert.match(allText(requests[2]), /a form was sent shortly before/),
  },
  {
    name: 'impossible that is said again is the end',
    answers: () => [says(clickBuy), impossible, impossible],
    script: () => ({ view: form, replies: [acted()] }),
    expect: { status: 'failed', error: /^The shop refuses it\.$/ },
  },
  {
    name: 'impossible without a form that was sent ends the task at once',
    answers: () => [says(clickBuy), impossible],
    script: () => ({ view: seen, replies: [acted()] }),
    expect: { status: 'failed', error: /^The shop refuses it\.$/ },
  },
  {
    name: 'a form that was sent six decisions ago gives no second look',
    answers: () => [says(clickBuy), ...[1, 2, 3, 4, 5].map((screens) => says(['scroll', { screens }])), impossible],
    script: () => ({ view: form, replies: Array.from({ length: 6 }, () => acted()) }),
    ticks: 30,
    expect: { status: 'failed', error: /^The shop refuses it\.$/ },
  },
];
describeCases('a finish after a form', submits);
