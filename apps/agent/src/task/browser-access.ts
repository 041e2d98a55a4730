// Gets the browser of the task's session for a run that has the task. Remembers the epoch under which it was lost.

import type { Store } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import type { BrowserHandle } from '../browsers/handle.ts';
import { FieldsLost, TaskNotHeld, type TaskTurn, type Turn } from '../ledger/turn.ts';

type FillingTurn = TaskTurn & Pick<Turn, 'filledUnder'>;

const ensureMs = 60_000;

export function createBrowserAccess({ store, browsers }: { store: Store; browsers: Browsers }) {
  let lostEpoch: number | undefined;

  return {
    /** Throws `FieldsLost` where the page is not the one that the steps before have filled in. */
    async acquire(
      { task, executionId, session, attemptsOfTask, leftMs, signal, filledUnder }: FillingTurn,
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
      if (filledUnder !== undefined && handle.openedEpoch > filledUnder) throw new FieldsLost();
      return handle;
    },

    /** The browser is gone under this epoch, whatever the database says. */
    markLost({ epoch }: BrowserHandle): void {
      lostEpoch = epoch;
    },
  };
}
export type BrowserAccess = ReturnType<typeof createBrowserAccess>;
