import { DBOS } from '@dbos-inc/dbos-sdk';
import { engine } from '@pilothouse/store';
import type { Run } from './tick.ts';

/** A day: whoever waits longer is woken, looks, and waits on. */
const waitSecs = 24 * 60 * 60;
/** A message wakes the waiter at once; asking the database is only the net below that. */
const pollMs = 60_000;

/** How often a task may be taken up is counted in our own ledger; the engine must not give it up before that. */
const maxRecoveryAttempts = 1_000_000;

/**
 * The durable life of a task. This loop never changes, so that a task begun by any release goes on in any other: what
 * to do next is decided in the tick, from our own ledger, and never from what the engine has recorded.
 */
export function registerTaskWorkflow(startRun: (taskId: string) => Run): void {
  DBOS.registerWorkflow(
    async (taskId: string) => {
      // Made anew at every start, after a crash too: a run that was replaced is told by it.
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
