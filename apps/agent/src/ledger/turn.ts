// One step of a task when its turn comes, and what comes after it.

import type { Step, Task } from '@pilothouse/contract';
import type { DecisionRow, StepRow, TaskRow } from '@pilothouse/store';
import type { LaunchOptions } from '../browsers/launch-options.ts';

/**
 * What comes after a tick: another one, the end of this run until the task is due again (at the latest after `waitMs`; with
 * `isForBrowser` it keeps its place in the queue for browsers), or the end of this run for good, because the task is over, another run has it, or this agent stops.
 */
export type Next = 'again' | 'wait' | { waitMs: number; isForBrowser?: true } | 'done';

export type Standing = { policy: unknown; isAdmin: boolean; hasApprovals: boolean; hasTypedSecrets: boolean };

/** A task that this run works on. */
export type TaskTurn = {
  task: TaskRow;
  session: LaunchOptions;
  executionId: string;
  settings: Task['settings'];
  /** Of all steps of the task. */
  attemptsOfTask: number;
  /** What holds besides its own settings: the rules of the user who began it, and what people said or typed so far. */
  standing: Standing;
  /** Of the task's time limit. */
  leftMs: number;
  /** Aborted when this run may no longer work on the task. */
  signal: AbortSignal;
};

/** One step of it, and what is known when its turn comes. */
export type Turn = TaskTurn & {
  steps: Step[];
  /** Of this step; the first is 1. */
  index: number;
  step: Step;
  /** Of this step, oldest first. */
  attempts: StepRow[];
  /** The step has succeeded before, and the page in which it did is gone. */
  isRefill?: boolean;
  /** The page has values of steps before this one since this epoch: in a browser that was opened later they are missing. */
  filledUnder?: number;
  /** The open decision of a model that the step belongs to; undefined where the steps were given. */
  decision?: DecisionRow;
};

/** The browser was opened again: values of steps before this one are no longer in its page. */
export class FieldsLost extends Error {
  override name = 'FieldsLost';
}

/** This execution no longer holds its task. Thrown inside a transaction, it rolls the transaction back. */
export class TaskNotHeld extends Error {
  override name = 'TaskNotHeld';
}
