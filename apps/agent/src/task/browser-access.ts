// Gets the browser of the task's session for a run that has the task. Remembers the epoch under which it was lost.

import type { Store } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import type { BrowserHandle } from '../browsers/handle.ts';
import { TaskNotHeld, type TaskTurn } from '../ledger/turn.ts';

const ensureMs = 60_000;

export function createBrowserAccess({ store, browsers }: { store: Store; browsers: Browsers }) {
  let lostEpoch: number | undefined;

  return {
    async acquire(
      { task, executionId, session, attemptsOfTask, leftMs, signal }: TaskTurn,
      { mayMove = false } = {},
    ): Promise<BrowserHandle> {
      const within = AbortSignal.any([signal, AbortSignal.timeout(Math.min(ensureMs, leftMs))]);
      // Only before the first attempt: later, what the task did in the page would be lost.
      const handle = await browsers.ensure(session, {
        lost: lostEpoch,
        mayYield: attemptsOfTask === 0,
        mayMove,
        executionId,
        signal: within,
      });
      // The epoch may be that of a person who has just taken over.
      if (!(await store.tasks.isHeld(task.id, executionId))) throw new TaskNotHeld();
      lostEpoch = undefined;
      return handle;
    },

    /** The browser is gone under this epoch, whatever the database says. */
    markLost({ epoch }: BrowserHandle): void {
      lostEpoch = epoch;
    },
  };
}
export type BrowserAccess = ReturnType<typeof createBrowserAccess>;
