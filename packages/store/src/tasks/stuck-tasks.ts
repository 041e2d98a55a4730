// Finds open tasks that no agent will continue, and makes them due. There should be none.

import type { Database, Tx } from '../db/db.ts';
import { claimFound, isUnclaimed } from '../db/job-claims.ts';

export type StuckTask = {
  id: string;
  sessionId: string;
  /** The agent that has it by the rows, and that is gone; null if it is nobody's and not due. */
  goneAgentId: string | null;
};

/** No agent has it, it is not due, and no person and no other task of its session is before it. */
const isForgotten = `t.run_agent_id is null and t.run_due_at is null and (t.status = 'running' or t.status = 'pending'
  and not exists (select from tasks before where before.session_id = t.session_id
                    and (before.first_seq, before.id) < (t.first_seq, t.id)
                    and before.status in ('pending', 'running', 'awaiting_user', 'takeover') and before.program_id is null))`;

/** Who recovers the work of a dead agent does so at once; this one did not get that far. */
const isOfGoneAgent = `t.run_agent_id is not null and not exists (
  select from agents a where a.id = t.run_agent_id
    and (a.recovered_at is null or a.recovered_at > now() - make_interval(secs => $1 / 1000.0)))`;

/** $1: for how long a task may show no progress. */
const isStuck = `t.status in ('pending', 'running', 'awaiting_user', 'takeover') and t.program_id is null
  and t.updated_at < now() - make_interval(secs => $1 / 1000.0) and (${isForgotten} or ${isOfGoneAgent})`;
const maxAtOnce = 50;

export function createStuck({ pool }: Database) {
  return {
    /** Each is given to one of the agents that ask. */
    async find(afterMs: number): Promise<StuckTask[]> {
      const { rows } = await pool.query<StuckTask>({
        name: 'stuck.find',
        text: `with found as (
                 select t.id, t.session_id, t.run_agent_id from tasks t
                 where ${isStuck} and ${isUnclaimed('release_stuck', 't.session_id')} limit ${maxAtOnce}
               ), ${claimFound('release_stuck')}
               select id, session_id as "sessionId", run_agent_id as "goneAgentId"
               from found join claimed using (session_id)`,
        values: [afterMs],
      });
      return rows;
    },

    /** Makes it due if it is still stuck; false if it is not. Lock its session before. */
    async release(tx: Tx, id: string, afterMs: number): Promise<boolean> {
      const { rowCount } = await tx.client.query({
        name: 'stuck.release',
        text: `update tasks t set run_agent_id = null, run_due_at = least(t.run_due_at, clock_timestamp())
               where t.id = $2 and ${isStuck}`,
        values: [afterMs, id],
      });
      if (rowCount === 1) tx.hasQueued = true;
      return rowCount === 1;
    },
  };
}
