// Executions of a task: an agent takes it, moves it on and gives it back. Only the execution that holds a task may
// change it.

import { type Policy, type TaskMove, type TaskState, taskMoves } from '@pilothouse/contract';
import { sql } from 'kysely';
import { now } from '../db/clock.ts';
import type { Database, Db, Tx } from '../db/db.ts';
import { newId } from '../db/ids.ts';
import { prepared } from '../db/prepared.ts';
import { stopWaiting } from '../fleet/task-waits.ts';
import { clocksOf, workedMs } from './task-clock.ts';
import { queueNext } from './task-queue.ts';
import { openStates, type TaskRow } from './tasks.ts';

/** A task, and the execution that holds it. */
export type TaskHold = { id: string; executionId: string };
type MoveChange = {
  result?: object;
  lastError?: string;
  /** Only while the question that was asked at this time is open, and its time is over. */
  unanswered?: string;
  from?: readonly TaskState[];
};

/** A takeover of its session was requested, is active, or has just been handed back. */
const hasTakeover = sql<boolean>`exists (select from takeovers w
                                         where w.session_id = tasks.session_id and w.status <> 'ended')`;

/** Under which epoch the browser of its session was opened last. */
const openedEpoch = sql<number | null>`(select b.opened_epoch from browsers b where b.session_id = tasks.session_id)`;

/** What rules and secrets there are besides the task's own settings: most tasks have none. */
const standing = {
  userPolicy: sql<Policy | null>`users.policy`,
  isAdmin: sql<boolean>`users.role = 'admin'`,
  hasApprovals: sql<boolean>`exists (select from approvals a where a.task_id = tasks.id)`,
  hasTypedSecrets: sql<boolean>`exists (select from session_secrets k where k.session_id = tasks.session_id)`,
};

export function createTaskExecution({ db, pool }: Database) {
  const readAtWork = prepared(
    'tasks.atWork',
    db
      .selectFrom('tasks')
      .innerJoin('sessions', 'sessions.id', 'tasks.session_id')
      .innerJoin('users', 'users.id', 'tasks.created_by')
      .selectAll('tasks')
      .select(workedMs.as('worked_ms'))
      .select(standing.userPolicy.as('user_policy'))
      .select(standing.isAdmin.as('is_admin'))
      .select(standing.hasApprovals.as('has_approvals'))
      .select(standing.hasTypedSecrets.as('has_typed_secrets'))
      .select(hasTakeover.as('has_takeover'))
      .select(openedEpoch.as('opened_epoch'))
      .select(['sessions.viewport_width', 'sessions.viewport_height'])
      .where('tasks.id', '=', ''),
  );

  return {
    /**
     * For the agent that works on it: with the time it has used, without the time of people, any open takeover, when its
     * browser was opened, the viewport of its session, and what rules and secrets there are besides its own settings.
     */
    atWork: async (id: string) => (await readAtWork(pool, [id]))[0],

    /** Whether this execution may still work on it. */
    async isHeld(id: string, executionId: string): Promise<boolean> {
      const { rows } = await pool.query({
        name: 'tasks.isHeld',
        text: `select from tasks t where t.id = $1 and t.execution_id = $2 and t.status = 'running'`,
        values: [id, executionId],
      });
      return rows.length > 0;
    },

    /** The same of many, in their order; with `unlessWanted`, only while no takeover is requested or active. */
    async heldOf(holds: readonly (TaskHold & { unlessWanted: boolean })[]): Promise<boolean[]> {
      const { rows } = await pool.query<{ held: boolean }>({
        name: 'tasks.heldOf',
        text: `select t.id is not null as held
               from unnest($1::uuid[], $2::uuid[], $3::boolean[])
                 with ordinality as w(id, execution_id, unless_wanted, place)
               left join tasks t on t.id = w.id and t.execution_id = w.execution_id and t.status = 'running'
                 and not (w.unless_wanted and exists (
                   select from takeovers k where k.session_id = t.session_id and k.status in ('requested', 'active')))
               order by w.place`,
        values: [
          holds.map(({ id }) => id),
          holds.map(({ executionId }) => executionId),
          holds.map(({ unlessWanted }) => unlessWanted),
        ],
      });
      return rows.map(({ held }) => held);
    },

    beginExecution,
    move: moveTask,
  };
}

/**
 * Takes the task for one agent: from now on only writes of this execution count. Undefined if the task has ended, or its
 * present run is another one.
 */
async function beginExecution(tx: Tx, id: string, agentId: string, run?: number) {
  const executionId = newId();
  const task = await tx.db
    .updateTable('tasks')
    .set({
      execution_id: executionId,
      attempt: sql`attempt + 1`,
      // A task that waits for a person makes no progress, and need not.
      fruitless: sql`case when status in ('pending', 'running') then fruitless + 1 else fruitless end`,
      status: sql`case when status = 'pending' then 'running'::task_status else status end`,
      started_at: sql`coalesce(started_at, ${now})`,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('status', 'in', openStates)
    .where('program_id', 'is', null)
    .$if(run !== undefined, (update) => update.where('run', '=', run ?? 0).where('run_agent_id', '=', agentId))
    .returningAll()
    .executeTakeFirst();
  if (!task) return undefined;
  await endOpenExecutions(tx.db, id);
  await tx.db
    .insertInto('executions')
    .values({ id: executionId, task_id: id, attempt: task.attempt, agent_id: agentId })
    .execute();
  return { task, executionId };
}

/** Ends the execution of an agent that is gone: another agent has the task now. */
const endOpenExecutions = (db: Db, taskId: string) =>
  db
    .updateTable('executions')
    .set({ finished_at: now, outcome: 'interrupted', reason: 'The agent was lost. Another agent continued.' })
    .where('task_id', '=', taskId)
    .where('finished_at', 'is', null)
    .execute();

/** Moves the task if its state allows it and this execution still holds it; otherwise changes nothing. */
async function moveTask(
  tx: Tx,
  { id, executionId }: TaskHold,
  move: TaskMove,
  change: MoveChange = {},
): Promise<TaskRow | undefined> {
  const { to } = taskMoves[move];
  const from = change.from ?? taskMoves[move].from;
  const isEnd = !openStates.includes(to);
  const { unanswered } = change;
  const row = await tx.db
    .updateTable('tasks')
    .set({
      status: to,
      updated_at: now,
      ...clocksOf(to),
      ...(isEnd && { finished_at: now, question: null, run_due_at: null, run_agent_id: null }),
      ...(change.result && { result: JSON.stringify(change.result) }),
      ...(change.lastError !== undefined && { last_error: change.lastError }),
    })
    .where('id', '=', id)
    .where('status', 'in', [...from])
    .where('execution_id', '=', executionId)
    .$if(unanswered !== undefined, (update) =>
      update
        .where('status', '=', 'awaiting_user')
        .where(sql`question->>'asked_at'`, '=', unanswered ?? '')
        .where(sql<boolean>`(question->>'expires_at')::timestamptz < clock_timestamp()`),
    )
    .returningAll()
    .executeTakeFirst();
  if (row && isEnd) {
    const outcome = to as 'success' | 'failed' | 'cancelled';
    await tx.db
      .updateTable('executions')
      .set({ finished_at: now, outcome, reason: change.lastError ?? null })
      .where('id', '=', executionId)
      .execute();
    await stopWaiting(tx, row.session_id);
    await queueNext(tx, row.session_id);
  }
  return row;
}
