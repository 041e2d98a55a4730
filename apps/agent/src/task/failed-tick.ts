// After a tick that threw: does nothing if this agent stops, and ticks again if the run may still have the task.

import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { type Next, TaskNotHeld } from '../ledger/turn.ts';
import type { Claim } from './claim.ts';

type Options = { store: Store; log: Log; signal: AbortSignal; claim: Claim };

const pauseMs = 2000;

export const createFailedTick = ({ store, log, signal, claim }: Options, taskId: string) =>
  async function afterError(error: unknown): Promise<Next> {
    // This agent stops. The engine would record any return value as the result of the tick, so there is none.
    if (signal.aborted) return new Promise(() => {});
    if (error instanceof TaskNotHeld) {
      const task = await store.tasks.byId(taskId).catch(() => undefined);
      if (task && (isTerminal(task.status) || task.execution_id === claim.executionId())) return 'again';
      // Another run has the task. The engine finds that out when this run records its tick; until then, it does nothing.
      log.warn({ task_id: taskId }, 'another agent has taken this task');
      claim.forget();
    } else {
      // A passing failure, such as a lost connection: the next tick goes on from the ledger.
      log.error({ err: error, task_id: taskId }, 'a tick failed');
    }
    return sleep(pauseMs, undefined, { signal }).then(
      () => 'again',
      () => new Promise(() => {}),
    );
  };
