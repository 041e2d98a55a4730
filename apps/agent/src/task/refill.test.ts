import assert from 'node:assert/strict';
import { answerApproval, needsYes } from '../../testing/approvals.ts';
import { acted, failed, lost } from '../../testing/scripted-browsers.ts';
import { type BenchTask, type Case, click, describeCases, navigate, play } from '../../testing/task-bench.ts';

const name = { action: 'type', target: 'Name', text: 'Ann' } as const;
const size = { action: 'select', target: 'Size', option: 'L' } as const;
const pause = { action: 'wait', for: { secs: 0 } } as const;

/** The fields were filled in; then the browser was opened again, as by a host that takes over from one that ends. */
const filledBefore = async (task: BenchTask, { isDriven = false } = {}) => {
  await task.attempt(await task.earlierRun(), 1, { status: 'success' });
  if (isDriven) {
    await task.activateTakeover(await task.requestTakeover());
    await task.handBack();
  }
  await task.sql('update browsers set epoch = 9, opened_epoch = 9 where session_id = $1', [task.sessionId]);
};

const cases: Case[] = [
  {
    name: 'what was typed is typed again before the click that sends it, and the task says so',
    steps: [name, click('Send')],
    script: () => ({ replies: [acted(), lost(), acted(), acted()] }),
    expect: {
      status: 'success',
      attempts: ['1 success', '1 success', '2 interrupted', '2 success'],
      calls: ['act type 1', 'act click 1', 'open 2', 'act type 2', 'act click 2'],
      logs: ['what was filled into the page is filled in again'],
    },
  },
  {
    name: 'also where the browser is lost while the task waits between the two, and the wait does not begin again',
    steps: [name, pause, click('Send')],
    script: () => ({ replies: [acted(), lost(), acted(), acted(), acted()] }),
    expect: {
      status: 'success',
      attempts: ['1 success', '1 success', '2 success', '3 success'],
      calls: ['act type 1', 'act wait 1', 'open 2', 'act wait 2', 'act type 2', 'act click 2'],
    },
  },
  {
    name: 'where the browser is lost again meanwhile, it begins with the first field again',
    steps: [name, size, click('Send')],
    script: () => ({ replies: [acted(), acted(), lost(), acted(), lost(), acted(), acted(), acted()] }),
    expect: {
      status: 'success',
      calls: [
        ...['act type 1', 'act select 1', 'act click 1', 'open 2', 'act type 2', 'act select 2'],
        ...['open 3', 'act type 3', 'act select 3', 'act click 3'],
      ],
    },
  },
  {
    name: 'an agent that goes on with the task of another finds it in the rows',
    steps: [name, click('Send')],
    rows: (task) => filledBefore(task),
    script: () => ({ replies: [acted(), acted()] }),
    expect: { status: 'success', attempts: ['1 success', '1 success', '2 success'] },
  },
  {
    name: 'a field that cannot be filled in again is tried as often as any step, and then the task fails before the click',
    steps: [name, click('Send')],
    script: () => ({ replies: [acted(), lost(), failed('not_found'), failed('not_found'), failed('not_found')] }),
    expect: {
      status: 'failed',
      error: /^"Type .*" failed 3 times/,
      attempts: ['1 success', '1 failed', '1 failed', '1 failed', '2 interrupted'],
      calls: ['act type 1', 'act click 1', 'open 2', 'act type 2', 'act type 2', 'act type 2'],
    },
  },
  {
    name: 'a field whose filling in again was cut is filled in before the click',
    steps: [name, click('Send')],
    rows: async (task) => {
      await filledBefore(task);
      await task.attempt(await task.earlierRun(), 1, {
        status: 'interrupted',
        error: 'It was cut.',
        mayHaveActed: true,
      });
    },
    script: () => ({ replies: [acted(), acted()] }),
    expect: { status: 'success', attempts: ['1 success', '1 interrupted, may have acted', '1 success', '2 success'] },
  },
  {
    name: 'a person is asked first whether the click was done that cannot be undone, before anything is filled in',
    steps: [name, { ...click('Pay'), irreversible: true }],
    script: () => ({ replies: [acted(), lost({ mayHaveActed: true })] }),
    expect: {
      status: 'awaiting_user',
      question: /may or may not have been done/,
      calls: ['act type 1', 'act click 1'],
    },
  },
  {
    name: 'the same where another agent finds the browser opened again',
    steps: [name, { ...click('Pay'), irreversible: true }],
    rows: async (task) => {
      const run = await task.earlierRun();
      await task.attempt(run, 1, { status: 'success' });
      await task.attempt(run, 2, { status: 'interrupted', error: 'Lost.', mayHaveActed: true });
      await task.sql('update browsers set epoch = 9, opened_epoch = 9 where session_id = $1', [task.sessionId]);
    },
    expect: { status: 'awaiting_user', question: /may or may not have been done/, calls: ['driver 10'] },
  },
  {
    name: 'what needs a yes now is asked about, and a no ends the task before the click',
    steps: [name, click('Send')],
    rows: (task) => filledBefore(task),
    script: () => ({ replies: [needsYes()] }),
    expect: { nexts: ['wait'], attempts: ['1 success', '1 failed'] },
    async also(task) {
      await answerApproval(task, 'no');
      const next = task.run({ replies: [] });
      assert.equal((await play(next)).at(-1), 'done');
      assert.match((await task.row()).last_error ?? '', /said no/);
      assert.deepEqual(
        next.calls.filter((call) => call.startsWith('act')),
        [],
      );
    },
  },
  {
    name: 'after a yes it is filled in, and then the click follows',
    steps: [name, click('Send')],
    rows: (task) => filledBefore(task),
    script: () => ({ replies: [needsYes()] }),
    expect: { nexts: ['wait'], attempts: ['1 success', '1 failed'] },
    async also(task) {
      await answerApproval(task, 'once');
      const next = task.run({ replies: [acted(), acted()] });
      assert.equal((await play(next)).at(-1), 'done');
      assert.deepEqual(await task.attempts(), ['1 success', '1 failed', '1 success', '2 success']);
    },
  },
  {
    name: 'nothing is filled in again for a step that loads another page',
    steps: [name, navigate()],
    script: () => ({ replies: [acted(), lost(), acted()] }),
    expect: { status: 'success', attempts: ['1 success', '2 interrupted', '2 success'] },
  },
  {
    name: 'nothing is filled in again where a person drove since: it would overwrite what they did',
    steps: [name, click('Send')],
    rows: (task) => filledBefore(task, { isDriven: true }),
    script: () => ({ replies: [acted()] }),
    expect: { status: 'success', attempts: ['1 success', '2 success'] },
    also: (_, { calls }) => assert.ok(!calls.some((call) => call.startsWith('act type')), calls.join()),
  },
];

describeCases('after a browser was opened again', cases);
