// Finds open tasks that no agent will continue, and makes them due. There should be none.

import type pg from 'pg';
import type { Database, Tx } from '../db/db.ts';

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
                    and before.status in ('pending', 'running', 'awaiting_user', 'takeover')))`;

/** Who recovers the work of a dead agent does so at once; this one did not get that far. */
const isOfGoneAgent = `t.run_agent_id is not null and not exists (
  select from agents a where a.id = t.run_agent_id
    and (a.recovered_at is null or a.recovered_at > clock_timestamp() - make_interval(secs => $1 / 1000.0)))`;

export function createStuck({ pool }: Database) {
  return {
    find: (afterMs: number): Promise<StuckTask[]> => find(pool, afterMs, null),

    /** Makes it due if it is still stuck; false if it is not. Lock its session before. */
    async release(tx: Tx, id: string, afterMs: number): Promise<boolean> {
      if ((await find(tx.client, afterMs, id)).length === 0) return false;
      await tx.client.query({
        name: 'stuck.release',
        text: `update tasks set run_agent_id = null, run_due_at = least(run_due_at, clock_timestamp()) where id = $1`,
        values: [id],
      });
      tx.hasQueued = true;
      return true;
    },
  };
}

async function find(
  client: Pick<pg.Pool | pg.ClientBase, 'query'>,
  afterMs: number,
  id: string | null,
): Promise<StuckTask[]> {
  const { rows } = await client.query<StuckTask>({
    name: 'stuck.find',
    text: `select t.id, t.session_id as "sessionId", t.run_agent_id as "goneAgentId"
           from tasks t
           where ($2::uuid is null or t.id = $2) and t.status in ('pending', 'running', 'awaiting_user', 'takeover')
             and t.updated_at < clock_timestamp() - make_interval(secs => $1 / 1000.0)
             and (${isForgotten} or ${isOfGoneAgent})`,
    values: [afterMs, id],
  });
  return rows;
}
