// Tasks that wait for a browser: only rows, at no agent. They are made due when it is their turn.

import type { Database, Tx } from '../db/db.ts';
import { lapse } from './browser-queue.ts';
import { isHostLive } from './host-hold.ts';
import { queue } from './queue-order.ts';

/** Whether there is anything to do, and whether this agent does it: the first one does it for all. */
type TaskWaits = { isAny: boolean; isFirst: boolean };

export function createTaskWaits({ pool }: Database) {
  return {
    async taskWaits(agentId: string): Promise<TaskWaits> {
      const { rows } = await pool.query<TaskWaits>({
        name: 'browserTurns.taskWaits',
        text: `select exists (select from browser_waits where for_task) as "isAny",
                 coalesce((select min(id::text) from agents where recovered_at is null) = $1, false) as "isFirst"`,
        values: [agentId],
      });
      return rows[0] ?? { isAny: false, isFirst: false };
    },

    /**
     * Makes the tasks due whose turn it is. Returns how many there were, and how many tasks wait for others. Removes waits
     * that no task has any more: of sessions that have a browser, or no task that needs one.
     */
    async wakeDue(): Promise<{ woken: number; waiting: number }> {
      const { rows } = await pool.query<{ woken: number; waiting: number }>({
        name: 'browserTurns.wakeDue',
        text: `with left_over as (
                 delete from browser_waits w where w.for_task and (
                   not exists (select from tasks t where t.session_id = w.session_id and t.status in ('running', 'takeover')
                               and t.program_id is null)
                   or exists (select from browsers b where b.session_id = w.session_id and ${isHostLive}))
               ), ${queue}, woken as (
                 update tasks t set run_due_at = clock_timestamp() from queue, room
                 where queue.place <= room.free and queue.for_task and t.session_id = queue.session_id
                   and t.status = 'running' and t.run_agent_id is null and t.program_id is null
                   and coalesce(t.run_due_at > clock_timestamp(), true)
                 returning t.id)
               select (select count(*)::int from woken) as woken,
                 (select count(*)::int from queue, room where place > free and for_task) as waiting`,
      });
      return rows[0] ?? { woken: 0, waiting: 0 };
    },
  };
}

/** The task of the session is over: it no longer waits for a browser. A person may, until their server says otherwise. */
export async function stopWaiting({ client }: Tx, sessionId: string): Promise<void> {
  await client.query({
    name: 'browserTurns.stopWaiting',
    text: `with kept as (
             update browser_waits set for_task = false, until = ${lapse} where session_id = $1 and for_task and is_person)
           delete from browser_waits where session_id = $1 and for_task and not is_person`,
    values: [sessionId],
  });
}
