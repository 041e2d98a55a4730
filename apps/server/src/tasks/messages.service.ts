// Words of a person to a task, without a takeover. They are stored and shown; a model reads them, a script does not.

import {
  AppError,
  type BodyOf,
  isId,
  isTerminal,
  maxTaskMessages,
  type ReplyOf,
  type routes,
} from '@pilothouse/contract';
import type { Caller, Store, TaskMessageRow, TaskRow, Tx } from '@pilothouse/store';

type Routes = typeof routes;

export function createTaskMessages({ store }: { store: Store }) {
  async function refuse(tx: Tx, id: string): Promise<never> {
    const task = await store.tasks.locked(tx, id);
    const hasEnded = !task || isTerminal(task.status);
    const detail = hasEnded ? 'This task has ended already.' : `A task takes at most ${maxTaskMessages} messages.`;
    throw new AppError('conflict', { detail });
  }

  return {
    async send(
      caller: Caller,
      id: string,
      { text }: BodyOf<Routes['sendTaskMessage']>,
    ): Promise<ReplyOf<Routes['sendTaskMessage']>> {
      const found = isId(id) ? await store.tasks.drivenBy(caller, id) : undefined;
      if (!found) throw new AppError('not_found');
      const row = await store.change(found.session_id, async (tx, append) => {
        const added = await store.taskMessages.add(tx, { taskId: id, authorId: caller.id, text });
        const task = added && (await store.tasks.locked(tx, id));
        if (!added || !task) return refuse(tx, id);
        await store.tellConversation(tx, append, task);
        const message = isPlanned(task) ? wroteToPlanner : wroteToScript;
        await store.logs.append(append, { taskId: id, level: 'info', message, data: { number: added.number } });
        return { ...added, read_by: isPlanned(task) ? ('planner' as const) : ('nobody' as const) };
      });
      return { success: true, message: viewMessage(row) };
    },
  };
}
export type TaskMessages = ReturnType<typeof createTaskMessages>;

/** A model decides its steps, and reads what people write before the next of them. A script does not. */
const isPlanned = ({ total_steps }: Pick<TaskRow, 'total_steps'>): boolean => total_steps === null;
const wroteToPlanner = 'A person wrote to this task.';
const wroteToScript = 'A person wrote to this task. It follows a script, which does not read messages.';

type ReadMessage = TaskMessageRow & { read_by: 'planner' | 'nobody' };

const viewMessage = ({ task_id, number, text, recorded_at, read_by }: ReadMessage) => ({
  task_id,
  number,
  text,
  recorded_at: recorded_at.toISOString(),
  read_by,
});
