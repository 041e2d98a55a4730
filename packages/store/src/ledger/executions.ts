import type { Selectable } from 'kysely';
import type { Database } from './db.ts';
import type { Executions } from './generated.ts';

export type ExecutionRow = Selectable<Executions>;

export function createExecutions({ db }: Database) {
  return {
    /** The attempts at a task in their order. */
    listOf: (taskId: string): Promise<ExecutionRow[]> =>
      db.selectFrom('executions').selectAll().where('task_id', '=', taskId).orderBy('attempt').execute(),
  };
}
