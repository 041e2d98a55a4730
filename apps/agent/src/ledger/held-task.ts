// One transaction of the ledger: locks the session, and writes only while this execution holds the task.

import type { LogLevel } from '@pilothouse/contract';
import { type Append, type StepRow, type Store, stepIdOf, type Tx, titleOf } from '@pilothouse/store';
import { type LedgerCounts, noCounts } from './ledger-metrics.ts';
import { TaskNotHeld, type Turn } from './turn.ts';

export function createHeldTask(store: Store, counts: LedgerCounts = noCounts) {
  const ended = new WeakMap<Turn, StepRow>();

  return {
    /** Throws where another agent has the task, or it is over: this execution may write nothing. */
    async hold(tx: Tx, turn: Turn, hostId?: string): Promise<void> {
      if (!(await store.steps.hold(tx, heldStepOf(turn), hostId))) throw new TaskNotHeld();
    },

    /** Work that begins with a write which holds the task. */
    async changing<T>(turn: Turn, work: (tx: Tx, append: Append) => Promise<T>): Promise<T> {
      ended.delete(turn);
      const result = await store.change(turn.task.session_id, work);
      const attempt = ended.get(turn);
      if (attempt) counts.stepEnded(turn.step.action, attempt);
      return result;
    },

    /** The change that is under way ends this attempt: counted once it is committed. */
    noteEnd: (turn: Turn, attempt: StepRow): void => void ended.set(turn, attempt),

    say: (append: Append, { task, index }: Turn, message: string, level: LogLevel = 'info') =>
      store.logs.append(append, { taskId: task.id, level, message, stepId: stepIdOf(index) }),
  };
}
export const heldStepOf = ({ task, executionId, index, step }: Turn) => ({
  taskId: task.id,
  executionId,
  index,
  title: titleOf(step),
});
export type HeldTask = ReturnType<typeof createHeldTask>;
