// The queue of tasks: their own rows say what is due, who works on what, and what rests. Changes that make a task due do so
// in their own statement, so that committed work will run. Only the database's clock decides.

import type { Database, Tx } from '../db/db.ts';

/** One run of a task, taken by an agent. With an execution, it continues that of a run that ended by itself. */
export type ClaimedRun = {
  id: string;
  run: number;
  executionId: string | null;
  /** What began the task, for traces; null where nothing was traced. */
  traceparent?: string | null;
};
export type TaskRun = { id: string; run: number };
type Rest = { afterMs?: number; isForBrowser?: boolean };

/** A wait for a browser that was given up is no time of the task. */
const formerWaitMs = `coalesce((
  select greatest(0, round(1000 * extract(epoch from clock_timestamp() - greatest(w.since, tasks.started_at))))::bigint
  from browser_waits w where w.session_id = tasks.session_id and w.for_task), 0)`;

export function createTaskQueue({ pool }: Database) {
  return {
    /** Takes tasks that are due, longest due first. Each is given to one of the agents that ask. */
    async claim(agentId: string, limit: number): Promise<ClaimedRun[]> {
      const { rows } = await pool.query<ClaimedRun>({
        name: 'queue.claim',
        text: `with due as (
                 select id, is_rested, execution_id from tasks
                 where run_due_at <= now() and run_agent_id is null
                 order by run_due_at limit $2 for update skip locked
               ), claimed as (
                 update tasks t set run = t.run + 1, run_agent_id = $1, run_due_at = null, is_rested = false
                 from due where t.id = due.id
                 returning t.id, t.run, t.traceparent, case when due.is_rested then due.execution_id end as execution_id
               ), continued as (
                 update executions e set agent_id = $1 from claimed where e.id = claimed.execution_id
               )
               select id, run, execution_id as "executionId", traceparent from claimed`,
        values: [agentId, limit],
      });
      return rows;
    },

    /**
     * The run is over and the task waits, with `afterMs` at most for this long. Unless it waits for a browser, it leaves the
     * queue for browsers. Changes nothing if the run was replaced, so it may be sent again. True if the task is due already.
     */
    async rest({ id, run }: TaskRun, { afterMs, isForBrowser = false }: Rest = {}): Promise<boolean> {
      const { rows } = await pool.query<{ is_due: boolean }>({
        name: 'queue.rest',
        text: `with rested as (
                 update tasks set run_agent_id = null, is_rested = true,
                   run_due_at = least(run_due_at, clock_timestamp() + make_interval(secs => $3 / 1000.0)),
                   paused_ms = paused_ms + case when $4 then 0 else ${formerWaitMs} end
                 where id = $1 and run = $2 and run_agent_id is not null
                 returning session_id, run_due_at
               ), left_queue as (
                 delete from browser_waits w using rested where w.session_id = rested.session_id and w.for_task and not $4
               )
               select coalesce(run_due_at <= clock_timestamp(), false) as is_due from rested`,
        values: [id, run, afterMs ?? null, isForBrowser],
      });
      return rows[0]?.is_due === true;
    },
  };
}

/** The next task of the session is due, if its first open task has not begun. Call it when a task has ended. */
export async function queueNext(tx: Tx, sessionId: string): Promise<void> {
  const { rowCount } = await tx.client.query({
    name: 'queue.next',
    text: `update tasks set run_due_at = clock_timestamp()
           where id = (select id from tasks
                       where session_id = $1 and status in ('pending', 'running', 'awaiting_user', 'takeover')
                         and program_id is null
                       order by first_seq, id limit 1)
             and status = 'pending' and run_due_at is null and run_agent_id is null`,
    values: [sessionId],
  });
  if (rowCount) tx.hasQueued = true;
}

/** The task at work in the session looks at its rows again: also if it waits for a clock. */
export async function wakeTaskOf(tx: Tx, sessionId: string): Promise<void> {
  const { rowCount } = await tx.client.query({
    name: 'queue.wake',
    text: `update tasks set run_due_at = least(run_due_at, clock_timestamp())
           where session_id = $1 and status = 'running' and program_id is null`,
    values: [sessionId],
  });
  if (rowCount) tx.hasQueued = true;
}
