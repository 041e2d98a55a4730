// The rows of tasks: created once, read on behalf of a caller. Executions change them (task-execution.ts).

import type { TaskState } from '@pilothouse/contract';
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { type Caller, isBuiltIn } from '../accounts/users.ts';
import { now } from '../db/clock.ts';
import type { Database, Tx } from '../db/db.ts';
import type { DB, Tasks } from '../db/generated.ts';

export type TaskRow = Selectable<Tasks>;
export type NewTask = {
  id: string;
  sessionId: string;
  title: string;
  prompt: string;
  plan: object;
  settings: object;
  /** Null if the steps are not known beforehand. */
  totalSteps: number | null;
  rerunOf?: string;
  /** What began it, for traces: every run of it is below that. */
  traceparent?: string | undefined;
};

export function createTasks({ db }: Database) {
  return {
    /** It is due at once if no other task of its session is open. Lock the session before. */
    async create(tx: Tx, owner: Caller, task: NewTask): Promise<TaskRow> {
      const row = await tx.db
        .insertInto('tasks')
        .values((expression) => ({
          id: task.id,
          session_id: task.sessionId,
          owner_id: expression.selectFrom('sessions').select('owner_id').where('id', '=', task.sessionId),
          created_by: owner.id,
          title: task.title,
          prompt: task.prompt,
          plan: JSON.stringify(task.plan),
          settings: JSON.stringify(task.settings),
          total_steps: task.totalSteps,
          rerun_of: task.rerunOf ?? null,
          traceparent: task.traceparent ?? null,
          first_seq: expression
            .selectFrom('session_seq')
            .select((e) => e('last_seq', '+', 1).as('next'))
            .where('session_id', '=', task.sessionId),
          run_due_at: sql<Date>`case when not exists (
            select from tasks t where t.session_id = ${task.sessionId} and t.status in ('pending', 'running', 'awaiting_user', 'takeover')
              and t.program_id is null)
            then clock_timestamp() end`,
        }))
        .returningAll()
        .executeTakeFirstOrThrow();
      if (row.run_due_at) tx.hasQueued = true;
      await tx.db
        .updateTable('sessions')
        .set({ last_task_id: row.id, updated_at: now })
        .where('id', '=', row.session_id)
        .execute();
      return row;
    },

    /** Visible to the owner of its session and to the owner of its plan. */
    visibleTo: (caller: Caller, id: string) =>
      db.selectFrom('tasks').selectAll().where('id', '=', id).where(visible(caller)).executeTakeFirst(),

    /** For a caller who acts on it: an admin may read the tasks of all users, and act only on their own. */
    drivenBy: (caller: Caller, id: string) =>
      db
        .selectFrom('tasks')
        .selectAll()
        .where('id', '=', id)
        .where(visible(isBuiltIn(caller) ? caller : { ...caller, role: 'user' }))
        .executeTakeFirst(),

    /** Read in the transaction that has locked its session. */
    locked: (tx: Tx, id: string) => tx.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst(),

    byId: (id: string) => db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst(),

    /** How many tasks of agents in the session have not ended. */
    openInSession: (tx: Tx, sessionId: string): Promise<number> => countInSession(tx, sessionId, openStates),

    /** How many of them have begun and not ended. */
    begunInSession: (tx: Tx, sessionId: string): Promise<number> =>
      countInSession(tx, sessionId, ['running', 'awaiting_user', 'takeover']),

    /** How many tasks of the session wait for their turn. */
    async waitingInSession(tx: Tx, sessionId: string): Promise<number> {
      const { count } = await tx.db
        .selectFrom('tasks')
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .where('session_id', '=', sessionId)
        .where('status', '=', 'pending')
        .executeTakeFirstOrThrow();
      return count;
    },
  };
}

async function countInSession(tx: Tx, sessionId: string, states: TaskState[]): Promise<number> {
  const { count } = await tx.db
    .selectFrom('tasks')
    .select((expression) => expression.fn.countAll<number>().as('count'))
    .where('session_id', '=', sessionId)
    .where('status', 'in', states)
    .where('program_id', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** A task in one of these has not ended. */
export const openStates: TaskState[] = ['pending', 'running', 'awaiting_user', 'takeover'];

const visible = (caller: Caller) => (expression: ExpressionBuilder<DB, 'tasks'>) =>
  caller.role === 'admin'
    ? expression.lit(true)
    : expression.or([expression('owner_id', '=', caller.id), expression('created_by', '=', caller.id)]);
