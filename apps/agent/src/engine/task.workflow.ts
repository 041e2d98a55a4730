// The durable workflow of a task. Its loop must never change: see below.

import { DBOS } from '@dbos-inc/dbos-sdk';
import { engine } from '@pilothouse/store';
import type { Run } from '../task/run.ts';

/** A day: a task that waits longer ticks once and waits on. */
const waitSecs = 24 * 60 * 60;
/** A signal wakes the task at once; polling is only a safety net. */
const pollMs = 60_000;

/** Our own ledger limits how often a task is claimed; the engine must not give it up before. */
const maxRecoveryAttempts = 1_000_000;

/**
 * This loop never changes, so that a task begun by any release goes on in any other. A tick decides what comes next from
 * our own ledger, never from what the engine has recorded.
 */
export function registerTaskWorkflow(startRun: (taskId: string) => Run): void {
  DBOS.registerWorkflow(
    async (taskId: string) => {
      // A new run at every start, also after a crash: its execution tells it from runs that were replaced.
      const run = startRun(taskId);
      for (;;) {
        const next = await DBOS.runStep(() => run.tick(), { name: 'tick' });
        if (next === 'done') return;
        if (next === 'wait')
          await DBOS.recv(engine.signalTopic, { timeoutSeconds: waitSecs, pollingIntervalMs: pollMs });
      }
    },
    { name: engine.workflow, maxRecoveryAttempts },
  );
}
