// Which host is given the next browser, and which hosts are avoided for a while. Agents share this by the database's
// clock.

import { sql } from 'kysely';
import type { Database } from '../db/db.ts';
import { isAt } from './queue-order.ts';

/** The longest time for which a host that reports itself full is not asked, although it claims free capacity. */
const maxShunSecs = 60;

export function createHostChoice({ db, pool }: Database) {
  return {
    /**
     * The host with the largest part of its capacity free, so that no host gets more than its share, however much it
     * claims. Never a host that this agent found silent, nor one that is shunned. The session's own browser does not
     * count.
     */
    mostFree: (sessionId: string | null = null, silentBoots: readonly string[] = []) =>
      db
        .selectFrom('hosts')
        .select(['id', 'boot_id'])
        .where('lease_until', '>', sql<Date>`now()`)
        .where(sql<boolean>`boot_id <> all (${silentBoots}::uuid[])`)
        .where(sql<boolean>`coalesce(shunned_until <= now(), true)`)
        .where(sql<boolean>`session_count - (select count(*) from browsers own where own.session_id = ${sessionId}
          and own.host_id = hosts.id and own.boot_id = hosts.boot_id) < capacity`)
        // Otherwise a host that accepts browsers and drops them would have the most room, and get the next one too.
        .orderBy(sql`coalesce(lost_browser_at > now() - interval '30 seconds', false)`)
        .orderBy(sql`(capacity - session_count)::float8 / capacity`, 'desc')
        .orderBy(sql`coalesce(load_cpu, 0)`)
        .orderBy('id')
        .executeTakeFirst(),

    /**
     * The host did not open a browser because it is full. No browser is sent there before its next heartbeat. If it
     * claims free capacity and holds less than it may, all agents shun it for a while, each time for twice as long.
     * Returns the seconds. Release the browser first: its place would count as taken.
     */
    async saidFull(hostId: string, bootId: string): Promise<number> {
      const { rows } = await pool.query<{ shunned_secs: number }>({
        name: 'hosts.saidFull',
        text: `update hosts h set
                 session_count = greatest(h.session_count, h.capacity),
                 full_answers = least(h.full_answers + lie.count, 10),
                 shunned_until = case when lie.count = 0 then h.shunned_until
                   else now() + make_interval(secs => least($3::float8, power(2, h.full_answers))) end
               from (select id, (jsonb_array_length(sessions) < capacity and capacity >
                       (select count(*) from browsers b where b.host_id = $1 and b.boot_id = $2 and ${isAt}))::int as count
                     from hosts where id = $1) as lie
               where h.id = lie.id and h.boot_id = $2
               returning greatest(0, coalesce(extract(epoch from h.shunned_until - now()), 0))::float8 as shunned_secs`,
        values: [hostId, bootId, maxShunSecs],
      });
      return rows[0]?.shunned_secs ?? 0;
    },

    /** The host opened a browser: one of its earlier refusals no longer counts. */
    async opened(hostId: string): Promise<void> {
      await pool.query({
        name: 'hosts.opened',
        text: 'update hosts set full_answers = full_answers - 1 where id = $1 and full_answers > 0',
        values: [hostId],
      });
    },

    /** A browser is gone although its host is not: for a while the host is chosen last. */
    async lostBrowser(hostId: string): Promise<void> {
      await pool.query({
        name: 'hosts.lostBrowser',
        text: 'update hosts set lost_browser_at = now() where id = $1',
        values: [hostId],
      });
    },
  };
}
