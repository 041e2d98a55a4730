import assert from 'node:assert/strict';
import { acted, failed, lost } from '../../testing/scripted-browsers.ts';
import { type BenchTask, type Case, click, describeCases, pay } from '../../testing/task-bench.ts';

/** An agent that is gone began the attempt under epoch 1; the claim of the next agent raises the epoch to 2. */
const leftOpen = async (task: BenchTask) => task.attempt(await task.earlierRun(), 1);
/** An attempt that may have acted and was interrupted; a person was asked, and answered. */
const askedAndAnswered = (text: string) => async (task: BenchTask) => {
  await doubtful(task);
  const asking = task.run({});
  assert.equal(await asking.tick(), 'wait');
  assert.ok(await task.answer(text));
};
const doubtful = async (task: BenchTask) =>
  task.attempt(await task.earlierRun(), 1, { status: 'interrupted', error: 'Lost.', mayHaveActed: true });

const open: Case[] = [
  {
    name: 'the host has done it: its result is recorded, and the step is not sent again',
    steps: [click()],
    rows: leftOpen,
    script: () => ({ known: [acted()] }),
    expect: {
      nexts: ['again', 'done'],
      status: 'success',
      attempts: ['1 success'],
      calls: ['answer 2', 'driver 2', 'state 2'],
    },
  },
  {
    name: 'the host ends it only when it is told of the new driver: it is asked for the result once more',
    steps: [click()],
    rows: leftOpen,
    script: () => ({ known: [undefined, acted()] }),
    expect: { status: 'success', calls: ['answer 2', 'driver 2', 'answer 2', 'state 2'] },
  },
  {
    name: 'the host says that it failed: the failure counts, and the step is tried again',
    steps: [click()],
    rows: leftOpen,
    script: () => ({ known: [failed('covered')], replies: [acted()] }),
    expect: { status: 'success', attempts: ['1 failed', '1 success'] },
  },
  {
    name: 'the same browser never heard of it: it was certainly not done',
    steps: [click()],
    rows: leftOpen,
    script: () => ({ replies: [acted()] }),
    expect: {
      status: 'success',
      attempts: ['1 interrupted', '1 success'],
      logs: ['The agent was lost before it was done.'],
    },
  },
  {
    name: 'the browser was opened again since: it may have been done',
    steps: [click()],
    rows: async (task) => {
      await leftOpen(task);
      await task.store.transaction((tx) =>
        task.store.browsers.assign(
          tx,
          task.sessionId,
          { id: 'scripted', bootId: '0b9f1a52-3a4e-4a53-9d50-3f2b3c1d7e01' },
          1,
        ),
      );
    },
    script: () => ({ replies: [acted()] }),
    expect: {
      attempts: ['1 interrupted, may have acted', '1 success'],
      logs: ['The browser was lost while this was done.'],
    },
  },
  {
    name: 'the host does not have the browser: it may have been done',
    steps: [click()],
    rows: leftOpen,
    script: () => ({ setDriver: async () => false, replies: [acted()] }),
    expect: { attempts: ['1 interrupted, may have acted', '1 success'] },
  },
  {
    name: 'the host cut it short after it touched the page: it may have been done',
    steps: [click()],
    rows: leftOpen,
    script: () => ({ known: [lost({ reason: 'stale_epoch', mayHaveActed: true })], replies: [acted()] }),
    expect: { attempts: ['1 interrupted, may have acted', '1 success'], logs: ['The host stopped it (stale_epoch).'] },
  },
  {
    name: 'an irreversible one that the same browser never heard of is done once',
    steps: [pay],
    rows: leftOpen,
    script: () => ({ replies: [acted()] }),
    expect: { status: 'success', attempts: ['1 interrupted', '1 success'] },
  },
  {
    name: 'an irreversible one that may have been done asks a person, and is never repeated',
    steps: [pay],
    rows: leftOpen,
    script: () => ({ setDriver: async () => false }),
    expect: {
      nexts: ['again', 'wait'],
      status: 'awaiting_user',
      attempts: ['1 interrupted, may have acted'],
      calls: ['answer 2', 'driver 2', 'answer 2'],
    },
  },
  {
    name: 'an irreversible one that the host has done is recorded, and nobody is asked',
    steps: [pay],
    rows: leftOpen,
    script: () => ({ known: [acted()] }),
    expect: { status: 'success', attempts: ['1 success'], question: null },
  },
];

const answers: Case[] = [
  {
    name: 'an unfinished irreversible step asks once, and offers done, repeat and stop',
    steps: [pay],
    rows: doubtful,
    expect: {
      nexts: ['wait'],
      status: 'awaiting_user',
      question: /Look at the page, and answer: done .*repeat .*stop/,
    },
    also: async (task) => {
      assert.deepEqual((await task.row()).question, {
        ...((await task.row()).question as object),
        options: ['done', 'repeat', 'stop'],
      });
    },
  },
  {
    name: 'the answer "done" records the step as done, without the browser',
    steps: [pay],
    rows: askedAndAnswered('done'),
    expect: {
      nexts: ['again', 'done'],
      status: 'success',
      attempts: ['1 interrupted, may have acted', '1 success'],
      calls: ['driver 3'],
      logs: ['A person says that it was done.'],
    },
  },
  {
    name: 'the answer "repeat" does the step again',
    steps: [pay],
    rows: askedAndAnswered('repeat'),
    script: () => ({ replies: [acted()] }),
    expect: { status: 'success', attempts: ['1 interrupted, may have acted', '1 success'] },
  },
  {
    name: 'the answer "stop" ends the task, and the step is not repeated',
    steps: [pay],
    rows: askedAndAnswered('stop'),
    expect: {
      nexts: ['done'],
      status: 'failed',
      error: /a person stopped the task/,
      attempts: ['1 interrupted, may have acted'],
    },
  },
  {
    name: 'a "repeat" whose attempt is interrupted again asks again: the first answer does not count twice',
    steps: [pay],
    rows: askedAndAnswered('repeat'),
    script: () => ({ replies: [lost({ mayHaveActed: true })] }),
    expect: { nexts: ['again', 'wait'], status: 'awaiting_user' },
  },
  {
    name: 'other words than the options are not taken as an answer',
    steps: [pay],
    rows: async (task) => {
      await doubtful(task);
      assert.equal(await task.run({}).tick(), 'wait');
      assert.equal(await task.answer('please do it again'), undefined);
    },
    expect: { nexts: ['wait'], status: 'awaiting_user', question: /may or may not have been done/ },
  },
];

describeCases('an attempt that an agent left open', open);
describeCases('the answer of a person about an irreversible step', answers);
