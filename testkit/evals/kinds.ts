// The set: which kinds of tasks there are, and the task that a seed and a number make of them.
import { createRandom } from '../random.ts';
import { makingOf } from '../scripts/script.ts';
import type { Sites, Visitor } from '../sites/sites.ts';
import { accountTasks } from './accounts.tasks.ts';
import { fileTasks } from './files.tasks.ts';
import { formsTasks } from './forms.tasks.ts';
import { shopTasks } from './shop.tasks.ts';
import { slowTasks } from './slow.tasks.ts';
import { tablesTasks } from './tables.tasks.ts';
import type { Task, TaskKind } from './task.ts';
import { windowTasks } from './windows.tasks.ts';

export const taskKinds: [name: string, kind: TaskKind][] = Object.entries({
  ...shopTasks,
  ...formsTasks,
  ...accountTasks,
  ...tablesTasks,
  ...windowTasks,
  ...fileTasks,
  ...slowTasks,
});

/** `token` stands in the prompt, so that the model server knows whose request it has. */
export type SeededTask = { kind: string; index: number; token: string; seed: number; visitor: Visitor; task: Task };

/** The task of this number. The same seed makes the same one, whatever else is made. */
export function makeTask(sites: Sites, seed: number, index: number): SeededTask {
  const [kind, make] = taskKinds[index % taskKinds.length] ?? [];
  if (!kind || !make) throw new Error('there are no kinds');
  const own = Math.imul(seed, 1_000_003) + index;
  const token = `t${seed}-${index}`;
  const visitor = sites.visitor(token, own);
  return { kind, index, token, seed: own, visitor, task: make(makingOf(visitor, createRandom(own ^ 0x2c1b3c6d))) };
}
