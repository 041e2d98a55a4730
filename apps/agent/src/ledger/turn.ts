import type { Step, Task } from '@pilothouse/contract';
import type { StepRow, Store, TaskRow } from '@pilothouse/store';
import type { Session } from './hands.ts';

/** What the workflow does next: ticks again, waits for a signal, or is over. */
export type Next = 'again' | 'wait' | 'done';

/** One step of a task, and all that is known of it when its turn comes. */
export type Turn = {
  task: TaskRow;
  session: Session;
  executionId: string;
  settings: Task['settings'];
  steps: Step[];
  /** Of this one; the first is 1. */
  index: number;
  step: Step;
  /** What was tried of it so far, oldest first. */
  tries: StepRow[];
  /** How many tries the whole task has had. */
  triesOfAll: number;
  /** Of the time of the task. */
  leftMs: number;
  /** Aborted when this run may no longer work on the task. */
  signal: AbortSignal;
};

const checkMs = 500;

type Watched = { id: string; executionId: string; isIdle: boolean };

/**
 * Watches whether this execution still has its task: it may be cancelled, taken over, or in other hands by now. With
 * `isIdle`, that somebody asks for the wheel is enough.
 */
export function watchTask(store: Store, { id, executionId, isIdle }: Watched) {
  const gone = new AbortController();
  const timer = setInterval(() => {
    store.tasks.isHeld(id, executionId, { unlessWanted: isIdle }).then(
      (isHeld) => isHeld || gone.abort(new Replaced()),
      // The database is away: then nothing is known, and whatever is done has a deadline of its own.
      () => {},
    );
  }, checkMs);
  return { signal: gone.signal, close: () => clearInterval(timer) };
}

/** This run no longer holds its task; its transaction is rolled back. */
export class Replaced extends Error {
  override name = 'Replaced';
}
