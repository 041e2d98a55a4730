// The ledger of a task: each attempt at a step is written before it acts, and its effect after.

import type { PolicyVerdict } from '@pilothouse/contract';
import type { Selectable } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import type { Steps, Tasks } from '../db/generated.ts';

export type StepRow = Selectable<Steps>;
type TaskRow = Selectable<Tasks>;
/** The step that an execution is at. */
export type HeldStep = { taskId: string; executionId: string; index: number; title: string };
export type Intent = {
  commandId: string;
  epoch: number;
  hostId?: string;
  /** What a person said yes to, for this attempt or for acts like it. */
  approvalId?: string;
};
export type Effect = {
  status: 'success' | 'failed' | 'interrupted';
  waitMs?: number;
  runMs?: number;
  error?: string;
  /** Of a failed attempt: whether the page may have been changed. */
  mayHaveActed?: boolean;
  /** What the rules of the task said of it. */
  policy?: PolicyVerdict;
};

// Every write of a step begins with this: only while the execution holds the task. A step that has succeeded is progress:
// the next execution starts to count its fruitless attempts again.
const held = `held as (
  update tasks set current_step = $3, current_step_title = $4, updated_at = date_trunc('milliseconds', clock_timestamp()),
    fruitless = case when $5 then 0 else fruitless end
  where id = $1 and execution_id = $2 and status = 'running' returning *
)`;
const placed = `placed as (
  update executions set host_id = $6 from held where executions.id = $2 and $6::text is not null
)`;
const holdText = `with ${held}, ${placed} select * from held`;
const beginText = `with ${held}, ${placed}, begun as (
  insert into steps (task_id, index, try, execution_id, command_id, epoch, approval_id)
  select id, $3, (select coalesce(max(try), 0) + 1 from steps where task_id = $1 and index = $3), $2, $7, $8, $9
  from held
  returning try, intent_at
)
select held.*, begun.try as attempt_try, begun.intent_at as attempt_intent_at from held, begun`;
const endText = `with ${held}
update steps s set status = $6, effect_at = date_trunc('milliseconds', clock_timestamp()), wait_ms = $7, run_ms = $8,
  error = $9, may_have_acted = $10, policy = $12::jsonb || case when $5 then coalesce((
    select jsonb_build_object('approved_by', u.username) from approvals a join users u on u.id = a.answered_by
    where a.id = s.approval_id and a.class = $12::jsonb ->> 'class'), '{}') else '{}' end
from held where s.task_id = held.id and s.index = $3 and s.try = $11 and s.status = 'running' returning s.*`;

export function createSteps({ pool }: Database) {
  const valuesOf = ({ taskId, executionId, index, title }: HeldStep) => [taskId, executionId, index, title];

  return {
    /** Records the step that is being done; undefined if this execution no longer holds the task. */
    async hold({ client }: Tx, step: HeldStep, hostId: string | null = null): Promise<TaskRow | undefined> {
      const values = [...valuesOf(step), false, hostId];
      return (await client.query<TaskRow>({ name: 'steps.hold', text: holdText, values })).rows[0];
    },

    /** The same with a new attempt, which is written before it acts. */
    async begin({ client }: Tx, step: HeldStep, { commandId, epoch, hostId, approvalId }: Intent) {
      const values = [...valuesOf(step), false, hostId ?? null, commandId, epoch, approvalId ?? null];
      type Begun = TaskRow & { attempt_try: number; attempt_intent_at: Date };
      const { rows } = await client.query<Begun>({ name: 'steps.begin', text: beginText, values });
      if (!rows[0]) return undefined;
      const { attempt_try, attempt_intent_at, ...task } = rows[0];
      const attempt: StepRow = {
        task_id: step.taskId,
        index: step.index,
        try: attempt_try,
        execution_id: step.executionId,
        command_id: commandId,
        epoch,
        intent_at: attempt_intent_at,
        status: 'running',
        effect_at: null,
        wait_ms: 0,
        run_ms: 0,
        error: null,
        may_have_acted: false,
        policy: null,
        approval_id: approvalId ?? null,
      };
      return { task, attempt };
    },

    /** The effect of an attempt, once: undefined if another process ended it, or this execution does not hold the task. */
    async end({ client }: Tx, step: HeldStep, attempt: number, effect: Effect): Promise<StepRow | undefined> {
      const { status, waitMs = 0, runMs = 0, error = null, mayHaveActed = false, policy } = effect;
      const done = [status === 'success', status, waitMs, runMs, error, mayHaveActed];
      const values = [...valuesOf(step), ...done, attempt, policy ? JSON.stringify(policy) : null];
      return (await client.query<StepRow>({ name: 'steps.end', text: endText, values })).rows[0];
    },

    /** Ends the open attempts of a task that is over. */
    async interrupt({ client }: Tx, taskId: string, error: string): Promise<StepRow[]> {
      const { rows } = await client.query<StepRow>({
        name: 'steps.interrupt',
        text: `update steps set status = 'interrupted', effect_at = date_trunc('milliseconds', clock_timestamp()), error = $2
               where task_id = $1 and status = 'running' returning *`,
        values: [taskId, error],
      });
      return rows;
    },

    /** With a transaction, its own writes are included. */
    async of(taskId: string, tx?: Tx): Promise<StepRow[]> {
      const { rows } = await (tx?.client ?? pool).query<StepRow>({
        name: 'steps.of',
        text: 'select * from steps where task_id = $1 order by index, try',
        values: [taskId],
      });
      return rows;
    },

    /** The time since the attempt began, by the database's clock. */
    async ageMs({ task_id, index, try: attempt }: StepRow): Promise<number> {
      const { rows } = await pool.query<{ age_ms: number }>({
        name: 'steps.ageMs',
        text: `select round(1000 * extract(epoch from clock_timestamp() - intent_at))::bigint as age_ms
               from steps where task_id = $1 and index = $2 and try = $3`,
        values: [task_id, index, attempt],
      });
      const [found] = rows;
      if (!found) throw new Error(`task ${task_id} has no attempt ${attempt} at step ${index}`);
      return found.age_ms;
    },
  };
}
