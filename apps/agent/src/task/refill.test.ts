import assert from 'node:assert/strict';
import { acted, failed, lost } from '../../testing/scripted-browsers.ts';
import { type BenchTask, type Case, click, describeCases, navigate } from '../../testing/task-bench.ts';

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
    name: 'a field that is not there any more fails no task, and is not tried again',
    steps: [name, click('Send')],
    script: () => ({ replies: [acted(), lost(), failed('not_found'), acted()] }),
    expect: {
      status: 'success',
      attempts: ['1 success', '1 failed', '2 interrupted', '2 success'],
      calls: ['act type 1', 'act click 1', 'open 2', 'act type 2', 'act click 2'],
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
