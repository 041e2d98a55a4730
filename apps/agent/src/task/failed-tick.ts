// After a tick that threw: ends the run if this agent stops or another run has the task, and else ticks again.

import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { type Next, TaskNotHeld } from '../ledger/turn.ts';
import type { Claim } from './claim.ts';

type Options = { store: Store; log: Log; signal: AbortSignal; claim: Claim };

const pauseMs = 2000;
/** A run whose turns fail one after the other although it has the task waits longer each time. */
const notHeldPauseMs = 20;
const maxNotHeldPauseMs = 1000;
const isInARowMs = 5000;

export function createFailedTick({ store, log, signal, claim }: Options, taskId: string) {
  let notHeld = { count: 0, at: 0 };

  async function pause(ms: number): Promise<Next> {
    return sleep(ms, undefined, { signal }).then(
      () => 'again',
      () => 'done',
    );
  }

  /** The task, the browser or the takeover changed in this moment: the next tick looks again. */
  function tickAgain(): Promise<Next> {
    const at = performance.now();
    notHeld = { count: at - notHeld.at < isInARowMs ? notHeld.count + 1 : 0, at };
    return pause(Math.min(maxNotHeldPauseMs, notHeldPauseMs * notHeld.count));
  }

  return async function afterError(error: unknown): Promise<Next> {
    if (signal.aborted) return 'done';
    if (error instanceof TaskNotHeld) {
      const task = await store.tasks.byId(taskId).catch(() => undefined);
      if (!task) return pause(pauseMs);
      if (isTerminal(task.status)) return 'done';
      if (task.execution_id === claim.executionId()) return tickAgain();
      log.warn({ task_id: taskId }, 'another agent has taken this task');
      return 'done';
    }
    // A passing failure, such as a lost connection: the next tick goes on from the ledger.
    log.error({ err: error, task_id: taskId }, 'a tick failed');
    return pause(pauseMs);
  };
}
