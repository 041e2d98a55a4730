import assert from 'node:assert/strict';
import { acted, failed, lost } from '../../testing/scripted-browsers.ts';
import { type BenchTask, type Case, click, describeCases } from '../../testing/task-bench.ts';
import type { Next } from '../ledger/turn.ts';

const forText = { action: 'wait', for: { text: 'Ready' }, timeout_secs: 2 } as const;
const waitMsOf = (next: Next | undefined): number => (typeof next === 'object' ? next.waitMs : -1);
const forClock = (secs: number) => ({ action: 'wait', for: { secs } }) as const;
const confirm = { kind: 'confirm', message: 'Really?', default_value: '' } as const;
/** The open attempt began so long ago. */
const begunAgo = (task: BenchTask, secs: number) =>
  task.sql(`update steps set intent_at = now() - make_interval(secs => $2) where task_id = $1`, [task.id, secs]);

const waits: Case[] = [
  {
    name: 'a wait for something on the page is over when the host sees it',
    steps: [forText],
    script: () => ({ replies: [acted()] }),
    expect: { nexts: ['again', 'done'], status: 'success', attempts: ['1 success'] },
    also: (_, { deadlines: [deadlineMs = 0] }) => assert.ok(deadlineMs <= 2700, `${deadlineMs} ms`),
  },
  {
    name: 'a wait that the host does not see in its slice goes on in the same attempt, under new command ids',
    steps: [{ ...forText, timeout_secs: 20 }],
    script: () => ({ replies: [failed('timeout'), failed('timeout'), acted()] }),
    expect: { nexts: ['again', 'again', 'again', 'done'], status: 'success', attempts: ['1 success'] },
    also: (_, { commandIds }) => assert.deepEqual(commandIds, [undefined, undefined, undefined]),
  },
  {
    name: 'a wait whose whole time is over fails the task, and is not tried again',
    steps: [forText],
    rows: async (task) => {
      await task.attempt(await task.earlierRun(), 1, undefined, { epoch: 2 });
      await begunAgo(task, 5);
    },
    script: () => ({ replies: [failed('timeout')] }),
    expect: {
      nexts: ['done'],
      status: 'failed',
      error: /failed: it did not come within 2 s$/,
      attempts: ['1 failed'],
    },
  },
  {
    name: 'a wait for the page that an agent left open under another epoch begins its time again',
    steps: [forText],
    rows: async (task) => {
      await task.attempt(await task.earlierRun(), 1);
      await begunAgo(task, 5);
    },
    script: () => ({ replies: [acted()] }),
    expect: { nexts: ['again', 'again', 'done'], status: 'success', attempts: ['1 interrupted', '1 success'] },
  },
  {
    name: 'a wait for the clock that an agent left open goes on from when it began',
    steps: [forClock(20)],
    rows: async (task) => {
      await task.attempt(await task.earlierRun(), 1);
      await begunAgo(task, 21);
    },
    script: () => ({ replies: [acted()] }),
    expect: { nexts: ['again', 'done'], status: 'success', attempts: ['1 success'] },
  },
  {
    name: 'a wait for the clock is done when its time has passed, also where the page cannot be looked at',
    steps: [forClock(0)],
    script: () => ({ replies: [failed('timeout')] }),
    expect: { nexts: ['again', 'done'], status: 'success', attempts: ['1 success'] },
  },
  {
    name: 'a wait for the clock whose browser is lost stays open, and ends in the next browser',
    steps: [forClock(0)],
    script: () => ({ replies: [lost(), acted()] }),
    expect: {
      nexts: ['again', 'again', 'done'],
      status: 'success',
      attempts: ['1 success'],
      calls: ['act wait 1', 'open 2', 'act wait 2'],
    },
  },
  {
    name: 'a wait for the page whose browser is lost is interrupted',
    steps: [forText],
    script: () => ({ replies: [lost(), acted()] }),
    expect: { status: 'success', attempts: ['1 interrupted', '1 success'] },
  },
  {
    name: 'a long wait for the clock ends the run, says until when the task needs no browser, and asks the host for nothing',
    steps: [forClock(40)],
    expect: { status: 'running', attempts: ['1 running'], calls: [] },
    also: async (task, { nexts }) => {
      assert.equal(nexts.length, 1);
      assert.ok(waitMsOf(nexts[0]) > 20_000 && waitMsOf(nexts[0]) <= 40_000, JSON.stringify(nexts));
      const { asleep_until } = await task.row();
      // Of forty seconds; the others are for a busy machine.
      assert.ok(asleep_until && asleep_until.getTime() - Date.now() > 20_000);
    },
  },
  {
    name: 'a long wait for the clock lasts no longer than the time of the task',
    steps: [forClock(40)],
    settings: { time_limit_secs: 2 },
    expect: { status: 'running', attempts: ['1 running'] },
    also: (_, { nexts }) => assert.ok(waitMsOf(nexts[0]) <= 2000, JSON.stringify(nexts)),
  },
  {
    name: 'a long wait for the clock goes on at any agent for the rest of its time, and ends in the browser',
    steps: [forClock(40)],
    rows: async (task) => {
      await task.run({}).tick();
      await task.sql(`update steps set intent_at = intent_at - interval '35 seconds' where task_id = $1`);
      const later = waitMsOf(await task.run({}).tick());
      assert.ok(later > 0 && later <= 5000, String(later));
      await task.sql(`update steps set intent_at = intent_at - interval '5 seconds' where task_id = $1`);
    },
    script: () => ({ replies: [acted()] }),
    expect: { nexts: ['again', 'done'], status: 'success', attempts: ['1 success'] },
  },
  {
    name: 'a wait that meets a question which the next step answers is done',
    steps: [forText, { action: 'answer_dialog', accept: true }],
    script: () => ({ replies: [failed('dialog_open'), acted()], dialogs: [confirm] }),
    expect: { status: 'success', attempts: ['1 success', '2 success'], logs: ['The page asks: Really?'] },
  },
  {
    name: 'a wait that meets a question which no step answers fails',
    steps: [forText, click()],
    script: () => ({ replies: [failed('dialog_open')], dialogs: [confirm] }),
    expect: { nexts: ['done'], status: 'failed', error: /add an answer_dialog step/ },
  },
  {
    name: 'a wait that failed three times is not begun again',
    steps: [forText],
    rows: async (task) => {
      const run = await task.earlierRun();
      for (let i = 0; i < 3; i += 1) await task.attempt(run, 1, { status: 'failed', error: 'covered' });
    },
    expect: { nexts: ['done'], status: 'failed', error: /failed 3 times/ },
  },
];

const questions: Case[] = [
  {
    name: 'a question to a person is a step with an open attempt, and the task waits',
    steps: [{ action: 'ask', question: 'Which one?' }],
    expect: {
      nexts: ['wait'],
      status: 'awaiting_user',
      attempts: ['1 running'],
      question: /^Which one\?$/,
      calls: [],
      logs: ['Asked: Which one?'],
    },
  },
  {
    name: 'the answer of a person ends the step, and is in the result but not in the log',
    steps: [{ action: 'ask', question: 'The code?' }],
    rows: async (task) => {
      assert.equal(await task.run({}).tick(), 'wait');
      await task.answer('473 912');
    },
    expect: { nexts: ['again', 'done'], status: 'success', attempts: ['1 success'], logs: ['A person answered.'] },
    also: async (task) => {
      assert.ok(!(await task.logs()).some((line) => line.includes('473 912')));
      const { answers } = (await task.row()).result as { answers: { text: string }[] };
      assert.deepEqual(
        answers.map(({ text }) => text),
        ['473 912'],
      );
    },
  },
  {
    name: 'a question that is asked again after its agent died is asked in the same attempt',
    steps: [{ action: 'ask', question: 'Which one?' }],
    rows: async (task) => task.attempt(await task.earlierRun(), 1, undefined, { epoch: 0 }),
    expect: { nexts: ['wait'], status: 'awaiting_user', attempts: ['1 running'] },
  },
  {
    name: 'an answer to an earlier question does not answer the next one',
    steps: [
      { action: 'ask', question: 'First?' },
      { action: 'ask', question: 'Second?' },
    ],
    rows: async (task) => {
      assert.equal(await task.run({}).tick(), 'wait');
      await task.answer('one');
    },
    expect: { nexts: ['again', 'wait'], status: 'awaiting_user', question: /^Second\?$/ },
  },
];

describeCases('a step that waits', waits);
describeCases('a step that asks a person', questions);
