// One step of a task when its turn comes, and whether this execution still holds the task.

import type { Step, Task } from '@pilothouse/contract';
import type { StepRow, Store, TaskRow } from '@pilothouse/store';
import type { LaunchOptions } from '../browsers/launch-options.ts';

/**
 * What comes after a tick: another one, the end of this run until the task is due again (at the latest after `waitMs`; with
 * `isForBrowser` it keeps its place in the queue for browsers), or the end of this run for good, because the task is over, another run has it, or this agent stops.
 */
export type Next = 'again' | 'wait' | { waitMs: number; isForBrowser?: true } | 'done';

/** One step of a task, and what is known when its turn comes. */
export type Turn = {
  task: TaskRow;
  session: LaunchOptions;
  executionId: string;
  settings: Task['settings'];
  steps: Step[];
  /** Of this step; the first is 1. */
  index: number;
  step: Step;
  /** Of this step, oldest first. */
  attempts: StepRow[];
  /** Of all steps of the task. */
  attemptsOfTask: number;
  /** Of the task's time limit. */
  leftMs: number;
  /** Aborted when this run may no longer work on the task. */
  signal: AbortSignal;
};

const checkMs = 500;

type WatchOptions = { id: string; executionId: string; isIdle: boolean };

/**
 * Aborts when this execution no longer holds its task: it was cancelled, a person took over, or another agent claimed it.
 * With `isIdle`, also when a person asks to take over.
 */
export function watchTask(store: Store, { id, executionId, isIdle }: WatchOptions) {
  const gone = new AbortController();
  const timer = setInterval(() => {
    store.tasks.isHeld(id, executionId, { unlessWanted: isIdle }).then(
      (isHeld) => isHeld || gone.abort(new TaskNotHeld()),
      // The database is away, so nothing is known; every command has a deadline of its own.
      () => {},
    );
  }, checkMs);
  return { signal: gone.signal, close: () => clearInterval(timer) };
}

/** This execution no longer holds its task. Thrown inside a transaction, it rolls the transaction back. */
export class TaskNotHeld extends Error {
  override name = 'TaskNotHeld';
}
