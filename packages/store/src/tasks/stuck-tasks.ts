// Finds tasks that have not ended and that no agent will continue. There should be none.

import type pg from 'pg';
import type { Database, Tx } from '../db/db.ts';

export type Stuck = {
  id: string;
  sessionId: string;
  /** Its status in the durable engine; null if the engine does not know it. */
  engineStatus: string | null;
  /** The agent that holds it in the engine, if that agent is gone. */
  goneAgentId: string | null;
};

export function createStuck({ pool }: Database) {
  return {
    find: (afterMs: number): Promise<Stuck[]> => find(pool, afterMs, null),

    /** Whether it is still stuck. Lock its session before. */
    isStill: async (tx: Tx, id: string, afterMs: number): Promise<boolean> =>
      (await find(tx.client, afterMs, id)).length > 0,
  };
}

async function find(
  client: Pick<pg.Pool | pg.ClientBase, 'query'>,
  afterMs: number,
  id: string | null,
): Promise<Stuck[]> {
  const { rows } = await client.query<Stuck>({
    name: 'stuck.find',
    text: `select t.id, t.session_id as "sessionId", w.status as "engineStatus",
                      case when w.status = 'PENDING' then w.executor_id end as "goneAgentId"
               from tasks t left join dbos.workflow_status w on w.workflow_uuid = t.id::text
               where ($2::uuid is null or t.id = $2) and t.status in ('pending', 'running', 'awaiting_user', 'takeover')
                 and t.updated_at < clock_timestamp() - make_interval(secs => $1 / 1000.0)
                 and (w.workflow_uuid is null
                   or w.status not in ('PENDING', 'ENQUEUED', 'DELAYED')
                   -- Who takes up the work of one that is gone does so at once; this one did not get that far.
                   or (w.status = 'PENDING' and not exists (
                     select from agents a where a.id::text = w.executor_id
                       and (a.recovered_at is null or a.recovered_at > clock_timestamp() - make_interval(secs => $1 / 1000.0)))))`,
    values: [afterMs, id],
  });
  return rows;
}
