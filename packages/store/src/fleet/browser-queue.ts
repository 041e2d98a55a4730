// The queue for browsers: while there are too few, users take turns, and no user holds more than a fair share while
// another waits. Rows decide, so it does not matter which agent asks.

import { countRows } from '../db/count-rows.ts';
import type { Database } from '../db/db.ts';
import { isTakeoverOpen, queue } from './queue-order.ts';
import { takeTurn } from './take-turn.ts';

/** After this time without a renewal, a person no longer waits. A task waits until it has a browser, or ends. */
const lapseSecs = 10;
export const lapse = `clock_timestamp() + interval '${lapseSecs} seconds'`;

type Join = { isPerson: boolean; since?: Date | null; executionId?: string };

export function createBrowserQueue({ pool }: Database) {
  return {
    /**
     * Enters the queue, or stays in it. With `since`, at its former place: its last turn gave it no browser. With an
     * execution its task waits, without anybody who renews it; nothing happens if the execution no longer holds the task.
     */
    async join(sessionId: string, { isPerson, since = null, executionId }: Join): Promise<void> {
      await pool.query({
        name: 'browserTurns.join',
        text: `insert into browser_waits as w (session_id, user_id, is_person, since, user_since, until, for_task)
               select s.id, s.owner_id, $2 or ${isTakeoverOpen('s.id')}, least($3, clock_timestamp()),
                 least($3, clock_timestamp()), case when $4 then 'infinity' else ${lapse} end, $4
               from sessions s where s.id = $1 and (not $4 or exists (
                 select from tasks t where t.session_id = s.id and t.execution_id = $5 and t.status = 'running'))
               on conflict (session_id) do update set
                 is_person = excluded.is_person,
                 since = case when w.until > clock_timestamp() then least(w.since, excluded.since) else excluded.since end,
                 user_since = case when w.until > clock_timestamp() then w.user_since else excluded.user_since end,
                 until = greatest(w.until, excluded.until),
                 for_task = w.for_task or excluded.for_task`,
        values: [sessionId, isPerson, since, executionId !== undefined, executionId ?? null],
      });
    },

    /** Keeps these sessions in the queue; returns those that are in it. */
    async renew(sessionIds: readonly string[]): Promise<string[]> {
      const { rows } = await pool.query<{ session_id: string }>({
        name: 'browserTurns.renew',
        text: `update browser_waits w set until = greatest(w.until, ${lapse})
               where w.session_id = any($1) and w.until > clock_timestamp() returning w.session_id`,
        values: [sessionIds],
      });
      return rows.map(({ session_id }) => session_id);
    },

    /** Those of these sessions that are likely to have their turn; only `take` decides. */
    async due(sessionIds: readonly string[]): Promise<string[]> {
      const { rows } = await pool.query<{ session_id: string }>({
        name: 'browserTurns.due',
        text: `with ${queue} select session_id from queue, room where place <= free and session_id = any($1)`,
        values: [sessionIds],
      });
      return rows.map(({ session_id }) => session_id);
    },

    take: takeTurn,

    /** A person no longer waits; a task of the same session does so on. */
    async leave(sessionId: string): Promise<void> {
      await pool.query({
        name: 'browserTurns.personLeaves',
        text: `with kept as (update browser_waits set is_person = false where session_id = $1 and for_task)
               delete from browser_waits where session_id = $1 and not for_task`,
        values: [sessionId],
      });
    },

    /** Removes sessions that stopped waiting long ago, and waits of tasks that are over. */
    async sweep(limit: number): Promise<number> {
      return countRows(pool, {
        name: 'browserQueue.sweep',
        text: `delete from browser_waits where session_id in (
                 select w.session_id from browser_waits w where w.until < clock_timestamp() - interval '1 minute'
                   or w.for_task and not exists (
                     select from tasks t
                     where t.session_id = w.session_id and t.finished_at is null and t.program_id is null)
                 limit $1 for update of w skip locked)`,
        values: [limit],
      });
    },
  };
}
