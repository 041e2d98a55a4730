// Which agent records which session: one agent at a time, under a lease by the database's clock, and each agent its share.

import { countRows } from '../db/count-rows.ts';
import type { Database } from '../db/db.ts';
import { isHostLive } from '../fleet/host-hold.ts';

/** A session whose frames are recorded, and the host that holds its browser. */
export type ToRecord = { sessionId: string; hostId: string };

/** How many sessions more an agent may take at a time, so that the agents that look after it find some too. */
const takenAtOnce = 25;

// Not while a task waits for a person: its browser is parked unless it has viewers, and a recorder counts as one.
// An agent takes no more than its share of the sessions. It keeps somewhat more, so that not every change of their number
// moves a recording to another agent. Grouped and not joined: PostgreSQL does not know how many there are.
const claimText = `
with wanted as materialized (
  select s.id, b.host_id from sessions s join browsers b on b.session_id = s.id
  where s.recording and s.browser <> 'cold' and s.status in ('active', 'takeover') and ${isHostLive}
    and exists (select from tasks t where t.session_id = s.id and t.status in ('running', 'takeover') and t.program_id is null)
), share as materialized (
  select most, most + greatest(2, most / 4) as kept from (
    select ceil(count(*)::numeric / greatest(1, (select count(*) from agents where recovered_at is null)))::int as most
    from wanted) as fair
), known as materialized (
  select session_id, coalesce(bool_or(agent_id = $1), false) as is_mine, count(agent_id) = 0 as is_free from (
    select id as session_id, true as is_wanted, null::uuid as agent_id from wanted
    union all select session_id, false, agent_id from recorders where until > now()) as both_sides
  group by session_id having bool_or(is_wanted)
), mine as materialized (
  select session_id, row_number() over (order by session_id) as nth from known where is_mine
), given_up as (
  delete from recorders r using mine, share where mine.nth > share.kept and r.session_id = mine.session_id and r.agent_id = $1
), free as (
  -- In an order of its own for each agent, so that those that look at once take different ones.
  select session_id from known where is_free order by md5(session_id::text || $1::text)
  limit greatest(0, least(${takenAtOnce}, (select most from share) - (select count(*) from mine)))
), claimed as (
  insert into recorders as r (session_id, agent_id, until)
  select session_id, $1, now() + make_interval(secs => $2 / 1000.0) from (
    select session_id from mine, share where nth <= kept union all select session_id from free) as chosen
  order by session_id
  on conflict (session_id) do update set agent_id = excluded.agent_id, until = excluded.until
  where r.agent_id = excluded.agent_id or r.until <= now()
  returning r.session_id
)
select (select array_agg(session_id) from claimed) as claimed, (select jsonb_object_agg(id, host_id) from wanted) as hosts`;

export function createRecorders({ pool }: Database) {
  return {
    /**
     * Renews the claims of this agent, and claims more of the sessions that are to be recorded now, up to its share among
     * the live agents. Returns those it has.
     */
    async claim(agentId: string, leaseMs: number): Promise<ToRecord[]> {
      const { rows } = await pool.query<{ claimed: string[] | null; hosts: Record<string, string> | null }>({
        name: 'recorders.claim',
        text: claimText,
        values: [agentId, leaseMs],
      });
      const { claimed, hosts } = rows[0] ?? {};
      return (claimed ?? []).map((sessionId) => ({ sessionId, hostId: hosts?.[sessionId] ?? '' }));
    },

    /** Gives up all claims of this agent. */
    async release(agentId: string): Promise<void> {
      await pool.query('delete from recorders where agent_id = $1', [agentId]);
    },

    /** Removes claims that expired long ago. */
    async sweep(limit: number): Promise<number> {
      return countRows(pool, {
        name: 'recorders.sweep',
        text: `delete from recorders where session_id in (
                 select session_id from recorders where until < clock_timestamp() - interval '1 minute'
                 limit $1 for update skip locked)`,
        values: [limit],
      });
    },
  };
}
