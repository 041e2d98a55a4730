// How many viewers each session has, over all servers.

import { countRows } from '../db/count-rows.ts';
import type { Database } from '../db/db.ts';

export function createViewers({ pool }: Database) {
  return {
    /**
     * The counts of one server, valid for this long; sessions that it does not name keep their last count. Returns the
     * viewers of each of these sessions over all servers.
     */
    async report(serverId: string, counts: ReadonlyMap<string, number>, forMs: number): Promise<Map<string, number>> {
      const { rows } = await pool.query<{ session_id: string; count: number }>({
        name: 'viewers.report',
        text: `with here as (
                 insert into viewers (session_id, server_id, count, until)
                 select session_id, $1, count, clock_timestamp() + make_interval(secs => $4 / 1000.0)
                 from unnest($2::uuid[], $3::int[]) as said (session_id, count)
                 on conflict (session_id, server_id) do update set count = excluded.count, until = excluded.until
                 returning session_id, count
               ), elsewhere as (
                 select session_id, count from viewers
                 where session_id = any ($2) and server_id <> $1 and until > clock_timestamp()
               )
               select session_id, sum(count)::int as count
               from (select * from here union all select * from elsewhere) as everywhere group by session_id`,
        values: [serverId, [...counts.keys()], [...counts.values()], forMs],
      });
      return new Map(rows.map(({ session_id, count }) => [session_id, count]));
    },

    /** By session id; sessions without viewers are left out. */
    async of(sessionIds: readonly string[]): Promise<Map<string, number>> {
      const { rows } = await pool.query<{ session_id: string; count: number }>({
        name: 'viewers.of',
        text: `select session_id, sum(count)::int as count from viewers
               where session_id = any ($1) and until > clock_timestamp() group by session_id having sum(count) > 0`,
        values: [sessionIds],
      });
      return new Map(rows.map(({ session_id, count }) => [session_id, count]));
    },

    /** Removes counts that expired long ago. */
    async sweep(limit: number): Promise<number> {
      return countRows(pool, {
        name: 'viewers.sweep',
        text: `delete from viewers where (session_id, server_id) in (
                 select session_id, server_id from viewers
                 where until < clock_timestamp() - interval '1 minute' or count = 0 limit $1 for update skip locked)`,
        values: [limit],
      });
    },
  };
}
