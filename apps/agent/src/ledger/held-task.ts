// One transaction of the ledger: locks the session, and writes only while this execution has the task.

import type { LogLevel } from '@pilothouse/contract';
import { type Append, messageStateOf, type Store, stepIdOf, type TaskRow, type Tx, titleOf } from '@pilothouse/store';
import { TaskNotHeld, type Turn } from './turn.ts';

export function createHeldTask(store: Store) {
  return {
    holding: <T>(turn: Turn, work: (tx: Tx, append: Append, held: TaskRow) => Promise<T>): Promise<T> =>
      store.change(turn.task.session_id, async (tx, append) => {
        const { task, executionId, index, step } = turn;
        const held = await store.tasks.setStep(tx, { id: task.id, executionId }, index, titleOf(step));
        // Another agent has the task, or it is over: this execution may write nothing.
        if (!held) throw new TaskNotHeld();
        return work(tx, append, held);
      }),

    say: (tx: Tx, append: Append, { task, index }: Turn, message: string, level: LogLevel = 'info') =>
      store.logs.append(tx, append, { taskId: task.id, level, message, stepId: stepIdOf(index) }),

    async tellMessages(tx: Tx, append: Append, task: TaskRow): Promise<void> {
      const message_state = messageStateOf(task, await store.steps.of(task.id, tx));
      await append({ taskId: task.id, kind: 'message_state', data: { message_state } });
    },
  };
}
export type HeldTask = ReturnType<typeof createHeldTask>;
