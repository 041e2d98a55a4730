import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../../../../testkit/until.ts';
import { acted, failed, lost, untilAborted } from '../../testing/scripted-browsers.ts';
import {
  type BenchTask,
  type Case,
  click,
  describeCases,
  navigate,
  openBench,
  play,
} from '../../testing/task-bench.ts';
import { NoBrowserYet } from '../browsers/task-wait.ts';
import type { Next } from '../ledger/turn.ts';

const blank = { url: 'about:blank', written: [] };

/** Cancels the task when the failure of its first attempt is written, which is when the pause begins. */
async function cancelAfterFailure(task: BenchTask): Promise<void> {
  await until(async () => (await task.attempts())[0] === '1 failed', 10_000);
  await task.cancel();
}

const plans: Case[] = [
  {
    name: 'a plan without steps fails, and opens no browser',
    steps: [],
    expect: { nexts: ['done'], status: 'failed', error: /^The plan has no steps/, calls: [], attempts: [] },
  },
  {
    name: 'a plan whose steps are all done is a success, and the browser is not asked again',
    steps: [navigate(), click()],
    rows: async (task) => {
      const run = await task.earlierRun();
      for (const index of [1, 2]) await task.attempt(run, index, { status: 'success' });
    },
    expect: { nexts: ['done'], status: 'success', calls: ['driver 2'], logs: ['The task is done.'] },
  },
  {
    name: 'the first step that has not succeeded is next, whatever was tried after it',
    steps: [navigate(), click('A'), click('B')],
    rows: async (task) => {
      const run = await task.earlierRun();
      await task.attempt(run, 1, { status: 'success' });
      await task.attempt(run, 2, { status: 'failed', error: 'covered' });
    },
    script: () => ({ replies: [acted(), acted()] }),
    expect: { status: 'success', attempts: ['1 success', '2 failed', '2 success', '3 success'] },
  },
  {
    name: 'what the steps extracted and downloaded is the result of the task',
    steps: [{ action: 'extract', kind: 'text', as: 'price' }],
    script: () => ({ replies: [acted({ data: '12.50' })] }),
    expect: { status: 'success' },
    also: async (task) => {
      const { data } = (await task.row()).result as { data: unknown };
      assert.deepEqual(data, { price: '12.50' });
    },
  },
];

const claims: Case[] = [
  {
    name: 'the first agent raises no epoch: nobody has acted before it',
    steps: [click()],
    script: () => ({ replies: [acted()] }),
    expect: { status: 'success', calls: ['act click 1'] },
  },
  {
    name: 'the next agent raises the epoch with its claim, and tells the host before it acts',
    steps: [click()],
    rows: (task) => task.earlierRun(),
    script: () => ({ replies: [acted()] }),
    expect: {
      status: 'success',
      calls: ['driver 2', 'act click 2'],
      logs: ['Another agent goes on with the task (attempt 2).'],
    },
  },
  {
    name: 'the next agent does not tell the host of its epoch while an attempt is open: what is under way may end first',
    steps: [click()],
    rows: async (task) => task.attempt(await task.earlierRun(), 1),
    ticks: 1,
    script: () => ({ known: [acted()] }),
    expect: { calls: ['answer 2', 'driver 2', 'state 2'] },
  },
  {
    name: 'a task that was taken five times without a finished step is given up by the sixth agent',
    steps: [click()],
    rows: async (task) => {
      for (let i = 0; i < 5; i += 1) await task.earlierRun();
    },
    expect: { nexts: ['done'], status: 'failed', error: /^It was begun 5 times without finishing a step/ },
  },
  {
    name: 'a finished step allows five more agents to take the task',
    steps: [navigate(), click()],
    rows: async (task) => {
      for (let i = 0; i < 4; i += 1) await task.earlierRun();
      assert.equal(await task.run({ replies: [acted()] }).tick(), 'again');
      for (let i = 0; i < 4; i += 1) await task.earlierRun();
    },
    script: () => ({ replies: [acted()] }),
    expect: { status: 'success' },
  },
  {
    name: 'a task that ended is left alone',
    steps: [click()],
    rows: async (task) => {
      await task.earlierRun();
      await task.cancel();
    },
    expect: { nexts: ['done'], status: 'cancelled', calls: [], attempts: [] },
  },
  {
    name: 'a task that waits for a person is claimed without a new epoch, and waits on',
    steps: [{ action: 'ask', question: 'Which one?' }],
    rows: async (task) => {
      assert.equal(await task.run({}).tick(), 'wait');
    },
    expect: { nexts: ['wait'], status: 'awaiting_user', calls: [] },
    also: async (task) => assert.equal((await task.store.browsers.of(task.sessionId))?.epoch, 1),
  },
];

const limits: Case[] = [
  {
    name: 'a task whose time is over fails before its next step',
    steps: [click()],
    settings: { time_limit_secs: 30 },
    rows: async (task) => {
      await task.earlierRun();
      await task.age(31);
    },
    expect: { nexts: ['done'], status: 'failed', error: /^The time limit of 30 s is over\.$/, attempts: [] },
  },
  {
    name: 'a step gets no more time than the task has left',
    steps: [navigate()],
    settings: { time_limit_secs: 30 },
    rows: async (task) => {
      await task.earlierRun();
      await task.age(20);
    },
    script: () => ({ replies: [acted()] }),
    expect: { status: 'success' },
    also: (_, { deadlines: [deadlineMs = 0] }) => assert.ok(deadlineMs > 1 && deadlineMs <= 10_000, `${deadlineMs} ms`),
  },
  {
    name: 'time in which the session waits for a browser now is taken off the time of the task',
    steps: [navigate()],
    settings: { time_limit_secs: 30 },
    rows: async (task) => {
      await task.earlierRun();
      await task.age(100);
      await task.store.browserTurns.join(task.sessionId, { isPerson: false, since: new Date(Date.now() - 95_000) });
    },
    script: () => ({ replies: [acted()] }),
    expect: { status: 'success' },
    also: (_, { deadlines: [deadlineMs = 0] }) => assert.equal(deadlineMs, 15_000, 'about 25 s are left of 30'),
  },
  {
    name: 'time in which a person had the task is taken off the time of the task',
    steps: [navigate()],
    settings: { time_limit_secs: 30 },
    rows: async (task) => {
      await task.earlierRun();
      await task.age(100);
      await task.sql('update tasks set paused_ms = 95000 where id = $1');
    },
    script: () => ({ replies: [acted()] }),
    expect: { status: 'success' },
  },
  {
    name: 'a task that still waits for a browser when its time is over fails at its next tick',
    steps: [click()],
    settings: { time_limit_secs: 1 },
    script: () => ({
      beforeEnsure: (signal) => until(() => signal.aborted, 10_000),
    }),
    // The first tick ends with the time of the task, pauses, and looks again.
    expect: { nexts: ['again', 'done'], status: 'failed', error: /time limit of 1 s/, attempts: [] },
  },
];

const firstPages: Case[] = [
  {
    name: 'a browser that has been nowhere goes to the page on which the task begins, before the first step',
    steps: [click()],
    settings: { current_url: 'https://user:word@shop.test/basket' },
    script: () => ({ page: blank, replies: [acted(), acted()] }),
    expect: {
      status: 'success',
      calls: ['look', 'act navigate 1', 'act click 1'],
      attempts: ['1 success'],
      logs: ['Opening https://shop.test/basket'],
    },
  },
  {
    name: 'a browser that shows a page stays on it',
    steps: [click()],
    settings: { current_url: 'https://shop.test/basket' },
    script: () => ({ replies: [acted()] }),
    expect: { calls: ['look', 'act click 1'] },
  },
  {
    name: 'a task that begins with a navigation needs no first page',
    steps: [navigate()],
    settings: { current_url: 'https://shop.test/basket' },
    script: () => ({ page: blank, replies: [acted()] }),
    expect: { calls: ['act navigate 1'] },
  },
  {
    name: 'a task with an attempt in the ledger does not go to its first page again',
    steps: [click()],
    settings: { current_url: 'https://shop.test/basket' },
    rows: async (task) => task.attempt(await task.earlierRun(), 1, { status: 'failed', error: 'covered' }),
    script: () => ({ page: blank, replies: [acted()] }),
    expect: { calls: ['driver 2', 'act click 2'] },
  },
  {
    name: 'a first page that cannot be opened is a warning, and the first step is done',
    steps: [click()],
    settings: { current_url: 'https://shop.test/basket' },
    script: () => ({ page: blank, replies: [failed('navigation_failed'), acted()] }),
    expect: { status: 'success', logs: ['https://shop.test/basket could not be opened: it is navigation_failed'] },
  },
  {
    name: 'a browser that is lost on the way to the first page is opened again, and goes there again',
    steps: [click()],
    settings: { current_url: 'https://shop.test/basket' },
    script: () => ({ page: blank, replies: [lost(), acted(), acted()] }),
    expect: {
      status: 'success',
      attempts: ['1 interrupted', '1 success'],
      calls: ['look', 'act navigate 1', 'open 2', 'look', 'act navigate 2', 'act click 2'],
    },
  },
  ...[click(), { action: 'ask', question: 'Which one?' } as const].map((step) => ({
    name: `a first page that ends its browser each time fails the task after five attempts, before ${step.action}`,
    steps: [step],
    settings: { current_url: 'https://user:word@shop.test/basket' },
    script: () => ({ page: blank, replies: Array.from({ length: 5 }, () => lost()) }),
    expect: {
      status: 'failed',
      error:
        /was interrupted 5 times; the last time: The browser was lost \(no_session\) while https:\/\/shop\.test\/basket was opened\.$/,
      attempts: Array.from({ length: 5 }, () => '1 interrupted'),
    } as const,
  })),
  {
    name: 'a browser that still has the page after a lost answer is kept, and the attempt counts',
    steps: [click()],
    settings: { current_url: 'https://shop.test/basket' },
    script: () => ({
      page: blank,
      holds: true,
      replies: [lost({ isUnheard: true, reason: 'timeout' }), acted(), acted()],
    }),
    expect: {
      status: 'success',
      attempts: ['1 interrupted', '1 success'],
      calls: ['look', 'act navigate 1', 'look', 'act navigate 1', 'act click 1'],
    },
  },
  {
    name: 'a task that is cancelled on the way to its first page writes nothing after it',
    steps: [click()],
    settings: { current_url: 'https://shop.test/basket' },
    script: (task) => ({
      page: blank,
      replies: [
        async (sent) => {
          await task.cancel();
          return untilAborted(sent);
        },
      ],
    }),
    expect: { status: 'cancelled', attempts: [], calls: ['look', 'act navigate 1', 'new driver after 1'] },
  },
];

const cancels: Case[] = [
  {
    name: 'a task that is cancelled before it began is not begun',
    steps: [click()],
    rows: (task) => task.cancel(),
    expect: { nexts: ['done'], status: 'cancelled', attempts: [], calls: [] },
  },
  {
    name: 'a task that is cancelled while a step runs aborts the step, and writes nothing after it',
    steps: [click(), click('Next')],
    script: (task) => ({
      replies: [
        async (sent) => {
          await task.cancel();
          return untilAborted(sent);
        },
      ],
    }),
    expect: {
      nexts: ['done'],
      status: 'cancelled',
      attempts: ['1 interrupted'],
      calls: ['act click 1', 'new driver after 1'],
    },
  },
  {
    name: 'a step that the host finished in the moment of the cancel is not recorded as done',
    steps: [click()],
    script: (task) => ({
      replies: [
        async () => {
          await task.cancel();
          return acted();
        },
      ],
    }),
    expect: { nexts: ['done'], status: 'cancelled', attempts: ['1 interrupted'] },
  },
  {
    name: 'a task that is cancelled while it waits for a browser writes no attempt',
    steps: [click()],
    script: (task) => ({ beforeEnsure: async () => void (await task.cancel()) }),
    expect: { nexts: ['done'], status: 'cancelled', attempts: [], calls: [] },
  },
  {
    name: 'a task that is cancelled while it asks a person stays cancelled',
    steps: [{ action: 'ask', question: 'Which one?' }],
    rows: async (task) => {
      assert.equal(await task.run({}).tick(), 'wait');
      await task.cancel();
    },
    expect: { nexts: ['done'], status: 'cancelled', attempts: ['1 interrupted'], question: null },
  },
  {
    name: 'a task that is cancelled during the pause before another attempt makes no other attempt',
    steps: [click()],
    script: (task) => ({
      replies: [
        async () => {
          void cancelAfterFailure(task);
          return failed('covered');
        },
      ],
    }),
    expect: { status: 'cancelled', attempts: ['1 failed'] },
  },
];

describeCases('the plan of a task', plans);
describeCases('an agent that takes a task', claims);
describeCases('the time of a task', limits);
describeCases('the page on which a task begins', firstPages);
describeCases('a task that is cancelled', cancels);

describe('two agents at one task', () => {
  let bench: Awaited<ReturnType<typeof openBench>>;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench?.close());

  it('an agent that lost the task while a step ran does not record the step, and the other agent finds it open', async () => {
    const task = await bench.newTask([click()]);
    const second = task.run({ known: [acted()] });
    let secondNext: Next | undefined;
    const first = task.run({
      replies: [
        async () => {
          secondNext = await second.tick();
          return acted();
        },
      ],
    });
    assert.equal(await first.tick(), 'done', 'its run is over');
    assert.equal(secondNext, 'again');
    assert.deepEqual(await task.attempts(), ['1 success'], 'recorded once, by the second agent');
    assert.deepEqual(second.calls, ['answer 2', 'driver 2', 'state 2']);
    const { execution_id } = await task.row();
    assert.equal(
      (await task.sql(`select agent_id from executions where task_id = $1 and finished_at is null`)).rows.length,
      1,
    );
    assert.ok(execution_id);
    assert.deepEqual(await play(second), ['done']);
  });

  it('an agent that lost the task does not end it, ask a person, or give it up', async () => {
    const task = await bench.newTask([{ action: 'ask', question: 'Which one?' }]);
    const first = task.run({
      beforeEnsure: async () => {},
    });
    const second = task.run({});
    assert.equal(await first.tick(), 'wait');
    assert.equal(await second.tick(), 'wait');
    await task.answer('the blue one');
    assert.deepEqual(await play(second), ['again', 'done']);
    assert.equal(await first.tick(), 'done');
    assert.equal((await task.row()).status, 'success');
  });

  it('an agent that stops ends its run and leaves the attempt open for the next agent', async () => {
    const task = await bench.newTask([click()]);
    const stopping = new AbortController();
    const run = task.run(
      {
        replies: [
          async (sent) => {
            stopping.abort();
            return untilAborted(sent);
          },
        ],
      },
      { signal: stopping.signal },
    );
    assert.equal(await run.tick(), 'done');
    assert.deepEqual(await task.attempts(), ['1 running'], 'the next agent finds the attempt');
    assert.equal((await task.row()).status, 'running');
  });

  it('the next run goes on in the same execution and epoch where the one before it ended by itself', async () => {
    const task = await bench.newTask([{ action: 'ask', question: 'Which one?' }, click()]);
    assert.equal(await task.run({}).tick(), 'wait');
    const { run, execution_id } = await task.row();
    await task.store.queue.rest({ id: task.id, run });
    await task.answer('the blue one');
    const next = task.run({ replies: [acted()] });
    assert.deepEqual(await play(next), ['again', 'again', 'done']);
    assert.deepEqual(next.calls, ['act click 1'], 'no new epoch');
    const row = await task.row();
    assert.deepEqual([row.status, row.attempt, row.execution_id], ['success', 1, execution_id]);
    assert.ok(!(await task.logs()).some((line) => line.includes('Another agent')));
  });

  it('a task that waits for a browser ends its run, and none of its time passes', async () => {
    const task = await bench.newTask([click()]);
    const run = task.run({ beforeEnsure: () => Promise.reject(new NoBrowserYet()) });
    assert.deepEqual(await play(run), [{ waitMs: 300_000, isForBrowser: true }]);
    assert.deepEqual(await task.attempts(), []);
    assert.equal((await task.row()).status, 'running');
  });

  it('a tick that meets an error of the database pauses, and the next tick goes on from the rows', async () => {
    const task = await bench.newTask([click()]);
    const run = task.run({ replies: [() => Promise.reject(new Error('weather')), acted()] });
    assert.equal(await run.tick(), 'again');
    assert.deepEqual(await task.attempts(), ['1 running']);
    assert.deepEqual(await play(run), ['again', 'done']);
    assert.equal(run.sent[0]?.command.commandId, run.sent[1]?.command.commandId, 'under the same command id');
    assert.deepEqual(await task.attempts(), ['1 success']);
  });
});
