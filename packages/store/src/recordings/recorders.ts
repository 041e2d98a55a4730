// Which agent records which session: one agent at a time, under a lease by the database's clock.

import type { Database } from '../db/db.ts';

/** A session whose frames are recorded, and the host that holds its browser. */
export type ToRecord = { sessionId: string; hostId: string };

export function createRecorders({ pool }: Database) {
  return {
    /**
     * Claims every session that is to be recorded now and that no other agent records, and renews the claims of this
     * agent.
     */
    async claim(agentId: string, leaseMs: number): Promise<ToRecord[]> {
      const { rows } = await pool.query<ToRecord>({
        name: 'recorders.claim',
        // Not while a task waits for a person: its browser is parked unless it has viewers, and a recorder counts as
        // one.
        text: `with wanted as (
                 select s.id, b.host_id from sessions s
                 join browsers b on b.session_id = s.id
                 join hosts h on h.id = b.host_id and h.boot_id = b.boot_id
                 where s.browser <> 'cold' and s.recording and s.status in ('active', 'takeover') and h.lease_until > now()
                   and exists (select from tasks t where t.session_id = s.id and t.status in ('running', 'takeover'))
               ), claimed as (
                 insert into recorders as r (session_id, agent_id, until)
                 select id, $1, clock_timestamp() + make_interval(secs => $2 / 1000.0) from wanted order by id
                 on conflict (session_id) do update set agent_id = excluded.agent_id, until = excluded.until
                 where r.agent_id = excluded.agent_id or r.until < clock_timestamp()
                 returning session_id
               )
               select w.id as "sessionId", w.host_id as "hostId" from wanted w join claimed c on c.session_id = w.id`,
        values: [agentId, leaseMs],
      });
      return rows;
    },

    /** Gives up all claims of this agent. */
    async release(agentId: string): Promise<void> {
      await pool.query('delete from recorders where agent_id = $1', [agentId]);
    },

    /** Removes claims that expired long ago. */
    async sweep(limit: number): Promise<number> {
      const { rowCount } = await pool.query({
        name: 'recorders.sweep',
        text: `delete from recorders where session_id in (
                 select session_id from recorders where until < clock_timestamp() - interval '1 minute'
                 limit $1 for update skip locked)`,
        values: [limit],
      });
      return rowCount ?? 0;
    },
  };
}
