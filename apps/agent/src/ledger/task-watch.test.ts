import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Store } from '@pilothouse/store';
import { createTaskWatch } from './task-watch.ts';
import { TaskNotHeld } from './turn.ts';

type Asked = { executionId: string; unlessWanted: boolean }[];

it('tasks are asked for together, never before the last answer came, and those that are not held are aborted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked: { of: Asked; answer: (held: boolean[]) => void; fail: () => void }[] = [];
  const heldOf = (of: Asked) => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean[]>();
    asked.push({ of, answer: resolve, fail: () => reject(new Error('away')) });
    return promise;
  };
  // It asks nothing else.
  const store = { tasks: { heldOf } } as unknown as Store;
  const { watchTask } = createTaskWatch({ store, everyMs: 500 });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    for (let i = 0; i < 5; i += 1) await nextTurn();
  };

  const [one, two] = ['one', 'two'].map((executionId) =>
    watchTask({ id: 't', sessionId: 's', executionId, isIdle: false }),
  );
  const idle = watchTask({ id: 't', sessionId: 's', executionId: 'idle', isIdle: true });
  await pass(500);
  assert.deepEqual(
    asked[0]?.of.map(({ executionId, unlessWanted }) => [executionId, unlessWanted]),
    [
      ['one', false],
      ['two', false],
      ['idle', true],
    ],
  );
  await pass(60_000);
  assert.equal(asked.length, 1, 'the database does not answer');
  asked[0]?.answer([true, false, true]);
  await pass(0);
  assert.deepEqual([one?.signal.aborted, two?.signal.aborted, idle.signal.aborted], [false, true, false]);
  assert.ok(two?.signal.reason instanceof TaskNotHeld);

  two?.close();
  await pass(500);
  assert.equal(asked.length, 2);
  asked[1]?.fail();
  await pass(0);
  assert.deepEqual([one?.signal.aborted, idle.signal.aborted], [false, false], 'a failure says nothing');
  await pass(500);
  assert.deepEqual(asked[2]?.of.length, 2, 'and does not end the watch');
  one?.close();
  idle.close();
  asked[2]?.answer([false, false]);
  await pass(10_000);
  assert.equal(asked.length, 3, 'nothing is asked for no tasks');
});

it('a change in the session of a task has it asked for at once, and again where it came during the question', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const answers: ((held: boolean[]) => void)[] = [];
  const heldOf = () => {
    const { promise, resolve } = Promise.withResolvers<boolean[]>();
    answers.push(resolve);
    return promise;
  };
  // It asks nothing else.
  const store = { tasks: { heldOf } } as unknown as Store;
  const { watchTask, lookAtTasks } = createTaskWatch({ store, everyMs: 500 });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    for (let i = 0; i < 5; i += 1) await nextTurn();
  };

  const one = watchTask({ id: 't', sessionId: 'mine', executionId: 'e', isIdle: true });
  lookAtTasks('of another agent');
  await pass(0);
  assert.equal(answers.length, 0);
  lookAtTasks('mine');
  lookAtTasks('mine');
  await pass(0);
  assert.equal(answers.length, 1, 'at once, and once for both');
  lookAtTasks('mine');
  await pass(0);
  assert.equal(answers.length, 1, 'not before the answer');
  answers[0]?.([true]);
  await pass(0);
  await pass(0);
  assert.equal(answers.length, 2, 'the first answer may not know of the last change');
  answers[1]?.([true]);
  await pass(0);
  await pass(499);
  assert.equal(answers.length, 2);
  await pass(1);
  assert.equal(answers.length, 3, 'and then at its interval, as before');
  answers[2]?.([false]);
  await pass(0);
  assert.ok(one.signal.aborted);
  one.close();
  await pass(10_000);
  lookAtTasks('mine');
  await pass(0);
  assert.equal(answers.length, 3);
});
