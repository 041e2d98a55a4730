// Words of a person to a task, without a takeover. They are stored and shown; a script does not read them.

import {
  AppError,
  type BodyOf,
  isId,
  isTerminal,
  maxTaskMessages,
  type ReplyOf,
  type routes,
} from '@pilothouse/contract';
import type { Caller, Store, TaskMessageRow, Tx } from '@pilothouse/store';

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
        const message = 'A person wrote to this task. It follows a script, which does not read messages.';
        await store.logs.append(append, { taskId: id, level: 'info', message, data: { number: added.number } });
        return added;
      });
      return { success: true, message: viewMessage(row) };
    },
  };
}
export type TaskMessages = ReturnType<typeof createTaskMessages>;

/** Every task follows a script: no planner reads messages. */
const viewMessage = ({ task_id, number, text, recorded_at }: TaskMessageRow) => ({
  task_id,
  number,
  text,
  recorded_at: recorded_at.toISOString(),
  read_by: 'nobody' as const,
});
