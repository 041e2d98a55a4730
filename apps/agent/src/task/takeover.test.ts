import assert from 'node:assert/strict';
import { acted, untilAborted } from '../../testing/scripted-browsers.ts';
import { type BenchTask, type Case, click, describeCases, navigate } from '../../testing/task-bench.ts';

const standing = (status: string | undefined) => async (task: BenchTask) =>
  assert.equal((await task.takeover())?.status, status);

const takeovers: Case[] = [
  {
    name: 'a person who asks before the first step gets the browser under an epoch of their own, and the task waits',
    steps: [click()],
    rows: (task) => task.requestTakeover(),
    expect: { nexts: ['wait'], status: 'takeover', calls: ['driver 2 person'], attempts: [] },
    also: standing('active'),
  },
  {
    name: 'a person who asks while a step runs gets the browser after that step, and before the next one',
    steps: [click(), click('Next')],
    script: (task) => ({
      replies: [
        async () => {
          await task.requestTakeover();
          return acted();
        },
      ],
    }),
    expect: {
      nexts: ['again', 'wait'],
      status: 'takeover',
      attempts: ['1 success'],
      calls: ['act click 1', 'driver 2 person'],
    },
    also: standing('active'),
  },
  {
    name: 'a person who asks while a step waits gets the browser at once: the wait is left',
    steps: [{ action: 'wait', for: { text: 'Ready' }, timeout_secs: 60 }],
    script: (task) => ({
      replies: [
        async (sent) => {
          await task.requestTakeover();
          return untilAborted(sent);
        },
      ],
    }),
    expect: { nexts: ['again', 'wait'], status: 'takeover', attempts: ['1 running'] },
    also: standing('active'),
  },
  {
    name: 'a person who takes the browser while a step runs stops the step, and nothing of it is recorded as done',
    steps: [click()],
    script: (task) => ({
      replies: [
        async (sent) => {
          await task.activateTakeover(await task.requestTakeover());
          return untilAborted(sent);
        },
      ],
    }),
    expect: { nexts: ['again', 'wait'], status: 'takeover', attempts: ['1 running'] },
  },
  {
    name: 'an agent that waits for the browser while a person takes over does not drive under the epoch of the person',
    steps: [click()],
    rows: async (task) => task.attempt(await task.earlierRun(), 1),
    script: (task) => {
      let isTaken = false;
      return {
        beforeEnsure: async () => {
          if (!isTaken) await task.activateTakeover(await task.requestTakeover());
          isTaken = true;
        },
      };
    },
    expect: { nexts: ['again', 'wait'], status: 'takeover', attempts: ['1 running'], calls: [] },
    also: standing('active'),
  },
  {
    name: 'a host that does not hear of the person leaves the takeover requested, for any agent to finish',
    steps: [click()],
    rows: (task) => task.requestTakeover(),
    script: () => ({ setDriver: () => Promise.reject(new Error('timeout')) }),
    expect: { nexts: ['wait'], status: 'takeover' },
    also: standing('requested'),
  },
  {
    name: 'a person who drove before the task began keeps the browser, and the task waits for them',
    steps: [click()],
    rows: async (task) => task.activateTakeover(await task.requestTakeover(null)),
    expect: { nexts: ['wait'], status: 'takeover', calls: [], attempts: [] },
    also: async (task) => assert.equal((await task.takeover())?.task_id, task.id),
  },
  {
    name: 'a task that a person has is left alone, whichever agent looks',
    steps: [click()],
    rows: async (task) => {
      await task.requestTakeover();
      assert.equal(await task.run({}).tick(), 'wait');
    },
    expect: { nexts: ['wait'], status: 'takeover', calls: [] },
  },
  {
    name: 'a task that is handed back looks at the page before it goes on, and says what has changed',
    steps: [navigate(), click()],
    rows: async (task) => {
      await task.requestTakeover();
      assert.equal(await task.run({}).tick(), 'wait');
      await task.handBack();
    },
    script: () => ({ page: { url: 'https://shop.test/paid?token=1', written: ['Card'] }, replies: [acted(), acted()] }),
    expect: {
      status: 'success',
      attempts: ['1 success', '2 success'],
      logs: ['https://shop.test/paid', 'Fields changed: "Card".'],
    },
    also: async (task, { calls }) => {
      assert.deepEqual(calls.slice(1, 3), ['look', 'act navigate 4']);
      assert.equal(await task.takeover(), undefined);
    },
  },
  {
    name: 'a step that the person stopped is asked for at the host when the task is handed back',
    steps: [click()],
    rows: async (task) => {
      const first = task.run({
        replies: [
          async (sent) => {
            await task.activateTakeover(await task.requestTakeover());
            return untilAborted(sent);
          },
        ],
      });
      await first.tick();
      await task.handBack();
    },
    script: () => ({ known: [acted()] }),
    expect: { status: 'success', attempts: ['1 success'] },
    also: (_, { calls }) => assert.deepEqual(calls, ['look', 'answer 4', 'driver 4', 'state 4']),
  },
  {
    name: 'a takeover that is wanted when the task ends is over with it',
    steps: [click()],
    script: (task) => ({
      replies: [
        async () => {
          await task.requestTakeover();
          await task.sql(`update tasks set plan = '{"steps": []}' where id = $1`);
          return acted();
        },
      ],
    }),
    expect: { nexts: ['again', 'done'] },
    also: standing(undefined),
  },
];

describeCases('a person takes over', takeovers);
