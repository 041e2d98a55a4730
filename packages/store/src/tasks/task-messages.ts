// What people write to a task while it is open. A planner reads the rows in the order of their numbers.

import { maxTaskMessages } from '@pilothouse/contract';
import type { Selectable } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import type { TaskMessages as TaskMessageTable } from '../db/generated.ts';
import { openStates } from './tasks.ts';

export type TaskMessageRow = Selectable<TaskMessageTable>;
type NewMessage = { taskId: string; authorId: string; text: string };

export function createTaskMessages({ db }: Database) {
  return {
    /** Undefined if the task has ended, or has as many as it may have. Lock its session before. */
    async add({ client }: Tx, { taskId, authorId, text }: NewMessage): Promise<TaskMessageRow | undefined> {
      const { rows } = await client.query<TaskMessageRow>({
        name: 'taskMessages.add',
        text: `insert into task_messages (task_id, number, author_id, text)
               select t.id, coalesce(m.last, 0) + 1, $2, $3
               from tasks t cross join lateral (select max(number) as last from task_messages where task_id = t.id) m
               where t.id = $1 and t.status = any($4::task_status[]) and coalesce(m.last, 0) < ${maxTaskMessages}
               returning *`,
        values: [taskId, authorId, text, openStates],
      });
      return rows[0];
    },

    /** Those after this number, oldest first. With a transaction, its own writes are included. */
    of: (taskId: string, { after = 0, tx }: { after?: number; tx?: Tx } = {}): Promise<TaskMessageRow[]> =>
      (tx?.db ?? db)
        .selectFrom('task_messages')
        .selectAll()
        .where('task_id', '=', taskId)
        .where('number', '>', after)
        .orderBy('number')
        .execute(),
  };
}
export type TaskMessages = ReturnType<typeof createTaskMessages>;
