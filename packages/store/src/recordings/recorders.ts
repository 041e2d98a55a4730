// Which agent records which session: one agent at a time, under a lease by the database's clock, and each agent its share.

import type { Database } from '../db/db.ts';
import { isHostLive } from '../fleet/host-hold.ts';

/** A session whose frames are recorded, and the host that holds its browser. */
export type ToRecord = { sessionId: string; hostId: string };

/** How many sessions more an agent may take at a time, so that the agents that look after it find some too. */
const takenAtOnce = 25;

// Not while a task waits for a person: its browser is parked unless it has viewers, and a recorder counts as one.
// An agent takes no more than its share of the sessions. It keeps somewhat more, so that not every change of their number
// moves a recording to another agent.
const claimText = `
with wanted as materialized (
  select s.id, b.host_id from sessions s join browsers b on b.session_id = s.id
  where s.recording and s.browser <> 'cold' and s.status in ('active', 'takeover') and ${isHostLive}
    and exists (select from tasks t where t.session_id = s.id and t.status in ('running', 'takeover'))
), share as materialized (
  select ceil(count(*)::numeric / greatest(1, (select count(*) from agents where recovered_at is null)))::int as most
  from wanted
), mine as materialized (
  select w.id, row_number() over (order by w.id) as nth from wanted w join recorders r on r.session_id = w.id
  where r.agent_id = $1 and r.until > now()
), kept as (
  update recorders r set until = now() + make_interval(secs => $2 / 1000.0)
  from mine, share where r.session_id = mine.id and r.agent_id = $1 and mine.nth <= share.most + greatest(2, share.most / 4)
  returning r.session_id
), given_up as (
  delete from recorders r
  using mine, share where r.session_id = mine.id and r.agent_id = $1 and mine.nth > share.most + greatest(2, share.most / 4)
), expired as materialized (
  select r.session_id from recorders r join wanted w on w.id = r.session_id where r.until <= now() for update of r skip locked
), free as (
  select session_id from (
    select session_id from expired union all
    select w.id from wanted w where not exists (select from recorders r where r.session_id = w.id)) as untaken
  -- In an order of its own for each agent.
  order by md5(session_id::text || $1::text)
  limit greatest(0, least(${takenAtOnce}, (select most from share) - (select count(*) from mine)))
), taken as (
  insert into recorders as r (session_id, agent_id, until)
  select session_id, $1, now() + make_interval(secs => $2 / 1000.0) from free order by session_id
  on conflict (session_id) do update set agent_id = excluded.agent_id, until = excluded.until where r.until <= now()
  returning r.session_id
)
select w.id as "sessionId", w.host_id as "hostId"
from wanted w join (select session_id from kept union all select session_id from taken) as c on c.session_id = w.id`;

export function createRecorders({ pool }: Database) {
  return {
    /**
     * Renews the claims of this agent, and claims more of the sessions that are to be recorded now, up to its share among
     * the live agents. Returns those it has.
     */
    async claim(agentId: string, leaseMs: number): Promise<ToRecord[]> {
      const { rows } = await pool.query<ToRecord>({
        name: 'recorders.claim',
        text: claimText,
        values: [agentId, leaseMs],
      });
      return rows;
    },

    /** Gives up all claims of this agent. */
    async release(agentId: string): Promise<void> {
      await pool.query('delete from recorders where agent_id = $1', [agentId]);
    },

    /** Removes claims that expired long ago. */
    async sweep(): Promise<void> {
      await pool.query(`delete from recorders where until < now() - interval '1 minute'`);
    },
  };
}
