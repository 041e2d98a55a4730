// The executions of a task, each by one agent.

import type { Selectable } from 'kysely';
import type { Database } from '../db/db.ts';
import type { Executions } from '../db/generated.ts';

export type ExecutionRow = Selectable<Executions>;

export function createExecutions({ db }: Database) {
  return {
    /** In their order. */
    listOf: (taskId: string): Promise<ExecutionRow[]> =>
      db.selectFrom('executions').selectAll().where('task_id', '=', taskId).orderBy('attempt').execute(),
  };
}
