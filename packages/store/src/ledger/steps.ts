// The ledger of a task: each attempt at a step is written before it acts, and its effect after.

import { type Selectable, sql } from 'kysely';
import { now } from '../db/clock.ts';
import type { Database, Tx } from '../db/db.ts';
import type { Steps } from '../db/generated.ts';

export type StepRow = Selectable<Steps>;
export type Intent = { taskId: string; index: number; executionId: string; commandId: string; epoch: number };
export type Effect = {
  status: 'success' | 'failed' | 'interrupted';
  waitMs?: number;
  runMs?: number;
  error?: string;
  /** Of a failed attempt: whether the page may have been changed. */
  mayHaveActed?: boolean;
};

export function createSteps({ db }: Database) {
  return {
    /** Written before the step acts. */
    begin: (tx: Tx, { taskId, index, executionId, commandId, epoch }: Intent): Promise<StepRow> =>
      tx.db
        .insertInto('steps')
        .values(({ selectFrom, fn, lit }) => ({
          task_id: taskId,
          index,
          try: selectFrom('steps')
            .select(({ eb }) => eb(fn.coalesce(fn.max('try'), lit(0)), '+', 1).as('next'))
            .where('task_id', '=', taskId)
            .where('index', '=', index),
          execution_id: executionId,
          command_id: commandId,
          epoch,
        }))
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** Written after it, once: an attempt that was ended by another process stays as it is. */
    end: (
      tx: Tx,
      { task_id, index, try: attempt }: StepRow,
      { status, waitMs = 0, runMs = 0, error, mayHaveActed = false }: Effect,
    ) =>
      tx.db
        .updateTable('steps')
        .set({
          status,
          effect_at: now,
          wait_ms: waitMs,
          run_ms: runMs,
          error: error ?? null,
          may_have_acted: mayHaveActed,
        })
        .where('task_id', '=', task_id)
        .where('index', '=', index)
        .where('try', '=', attempt)
        .where('status', '=', 'running')
        .returningAll()
        .executeTakeFirst(),

    /** With a transaction, its own writes are included. */
    of: (taskId: string, tx?: Tx): Promise<StepRow[]> =>
      (tx?.db ?? db)
        .selectFrom('steps')
        .selectAll()
        .where('task_id', '=', taskId)
        .orderBy('index')
        .orderBy('try')
        .execute(),

    /** The time since the attempt began, by the database's clock. */
    async ageMs({ task_id, index, try: attempt }: StepRow): Promise<number> {
      const { age_ms } = await db
        .selectFrom('steps')
        .select(sql<number>`round(1000 * extract(epoch from clock_timestamp() - intent_at))::bigint`.as('age_ms'))
        .where('task_id', '=', task_id)
        .where('index', '=', index)
        .where('try', '=', attempt)
        .executeTakeFirstOrThrow();
      return age_ms;
    },
  };
}
