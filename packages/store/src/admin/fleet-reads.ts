// Hosts and agents, as the database last heard of them.

import { decodeKey, toKeyPage } from '../db/cursors.ts';
import type { Database } from '../db/db.ts';
import { seenSecs } from '../fleet/figures.ts';
import { isAt } from '../fleet/queue-order.ts';

export type HostStanding = {
  id: string;
  state: 'live' | 'gone' | 'never_seen';
  is_leaving: boolean;
  is_avoided: boolean;
  claimed: number | null;
  allowed: number | null;
  max_sessions: number | null;
  agent: number;
  person: number;
  idle: number;
  load_cpu: number | null;
  load_memory: number | null;
  seen_at: Date | null;
  started_at: Date | null;
};
export type AgentStanding = {
  id: string;
  state: 'live' | 'missing' | 'recovered';
  models: string[];
  tasks: number;
  started_at: Date;
  seen_at: Date | null;
};
type KeyPage = { limit: number; cursor?: string };

// A host may have a row, a limit, or both.
const hostsText = `
with page as (
  (select id from hosts where id > $2 order by id limit $1)
  union (select host_id from host_limits where host_id > $2 order by host_id limit $1)
  order by 1 limit $1
)
select page.id, case when h.id is null then 'never_seen' when h.lease_until > now() then 'live' else 'gone' end as state,
  coalesce(h.is_leaving, false) as is_leaving, coalesce(h.shunned_until > now(), false) as is_avoided,
  h.claimed_capacity as claimed, h.capacity as allowed, l.max_sessions, held.*, h.load_cpu, h.load_memory, h.seen_at,
  h.started_at
from page left join hosts h on h.id = page.id left join host_limits l on l.host_id = page.id
cross join lateral (
  select (count(*) filter (where s.status = 'active'))::int as agent,
    (count(*) filter (where s.status = 'takeover'))::int as person,
    (count(*) filter (where s.status not in ('active', 'takeover')))::int as idle
  from browsers b join sessions s on s.id = b.session_id
  where b.host_id = page.id and b.boot_id = h.boot_id and ${isAt}
) as held
order by page.id`;

const agentsText = `
select a.id::text, a.models, a.started_at, a.seen_at,
  case when a.recovered_at is not null then 'recovered'
    when a.seen_at > clock_timestamp() - interval '${seenSecs} seconds' then 'live' else 'missing' end as state,
  (select count(*) from tasks t where t.run_agent_id = a.id)::int as tasks
from agents a where a.id > $2 order by a.id limit $1`;

const firstId = '00000000-0000-0000-0000-000000000000';

export function createFleetReads({ pool }: Database) {
  return {
    /** In the order of their ids. */
    async hosts({ limit, cursor }: KeyPage) {
      const values = [limit + 1, cursor ? decodeKey(cursor, 'text') : ''];
      const { rows } = await pool.query<HostStanding>({ name: 'admin.hosts', text: hostsText, values });
      return toKeyPage(rows, limit);
    },

    /** In the order of their ids. Those whose work was taken over are removed after a day. */
    async agents({ limit, cursor }: KeyPage) {
      const values = [limit + 1, cursor ? decodeKey(cursor, 'uuid') : firstId];
      const { rows } = await pool.query<AgentStanding>({ name: 'admin.agents', text: agentsText, values });
      return toKeyPage(rows, limit);
    },
  };
}
