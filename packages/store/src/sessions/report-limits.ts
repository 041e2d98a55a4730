// Limits how many reports of hosts are written down for a session, by the minute and over all agents.

import { countRows } from '../db/count-rows.ts';
import type { Database, Tx } from '../db/db.ts';

type ReportCount = {
  /** More reports than may be written in this minute. */
  isOver: boolean;
  /** How many reports of the minute before were not written; returned once. */
  leftOut: number;
};

export function createReports({ pool }: Database) {
  return {
    /** Call in a transaction that has locked the session. */
    async count({ client }: Tx, sessionId: string, type: string, mostAMinute: number): Promise<ReportCount> {
      const { rows } = await client.query<{ count: number; before: number; is_new: boolean }>({
        name: 'reports.count',
        text: `with known as (
                 select count, since <= clock_timestamp() - interval '1 minute' as is_over
                 from report_windows where session_id = $1 and type = $2
               ), next as (
                 select coalesce((select is_over from known), true) as is_new,
                   coalesce((select count from known), 0) as before
               )
               insert into report_windows as w (session_id, type, since, count)
               select $1, $2, clock_timestamp(), 1 from next
               on conflict (session_id, type) do update set
                 since = case when (select is_new from next) then excluded.since else w.since end,
                 count = case when (select is_new from next) then 1 else w.count + 1 end
               returning count, (select before from next) as before, (select is_new from next) as is_new`,
        values: [sessionId, type],
      });
      const { count = 1, before = 0, is_new: isNew = true } = rows[0] ?? {};
      return { isOver: count > mostAMinute, leftOut: isNew ? Math.max(0, before - mostAMinute) : 0 };
    },

    /** Removes counts of long ago. */
    async sweep(limit: number): Promise<number> {
      return countRows(pool, {
        name: 'reports.sweep',
        text: `delete from report_windows where (session_id, type) in (
                 select session_id, type from report_windows where since < clock_timestamp() - interval '1 hour'
                 limit $1 for update skip locked)`,
        values: [limit],
      });
    },
  };
}
