// Browser hosts as agents last heard of them. The database's clock grants their leases.

import { isId } from '@pilothouse/contract';
import { sql } from 'kysely';
import { countRows } from '../db/count-rows.ts';
import type { Database, Tx } from '../db/db.ts';
import { reportedBrowser } from './host-hold.ts';
import { isAt } from './queue-order.ts';

export type HostReport = {
  hostId: string;
  bootId: string;
  capacity: number;
  sessions: ReportedSession[];
  load?: { cpu: number; memory: number };
  isLeaving?: boolean;
  leaseMs: number;
  /** How many sessions it may hold if the operator has set no limit for it. */
  maxSessions?: number;
};
/** The capacity of a host; only the limit, for a host without a lease. */
export type HostRoom = {
  id: string;
  claimed: number | null;
  allowed: number | null;
  limit: number | null;
  sessions: number | null;
  isShunned: boolean | null;
};
/** A session as its host reports it. */
export type ReportedSession = { session_id: string; epoch: number; is_watched: boolean; idle_ms: number };

/** What a host is told with its lease. */
export type Renewal = {
  /** How many sessions it may hold: what it claims, and no more than the operator allows. */
  capacity: number;
  /** Sessions that it reported although another host has them under a newer epoch: it must end their browsers. */
  openedElsewhere: { session_id: string; epoch: number }[];
};

/** Ten years. A host may claim any number. */
const maxIdleMs = 315_360_000_000;

// Browsers that were assigned to the host count, whatever it reports; and a shunned host has no room. What it reports is
// compared with the rows here, once, and not by every agent that looks for differences.
const renewText = `
with joined as (
  -- Locked: one that is being ended in this moment is read as ended.
  select ended_at from host_joins where host_id = $1 for share
), allowed as (
  select least($3::int, coalesce((select max_sessions from host_limits where host_id = $1), $4::int)) as capacity
), reported as (
  select exists (
    select from jsonb_to_recordset($6::jsonb) as s(session_id uuid, epoch bigint) left join lateral ${reportedBrowser} on true
    where (b.host_id, b.boot_id, b.epoch) is distinct from ($1::text, $2::uuid, s.epoch)) as disagrees
)
insert into hosts as h (id, boot_id, capacity, claimed_capacity, session_count, sessions, load_cpu, load_memory, seen_at,
  lease_until, disagrees, unused_since, is_leaving)
select $1, $2, allowed.capacity, $3,
  greatest($5::int,
    (select count(*)::int from browsers b where b.host_id = $1 and b.boot_id = $2 and ${isAt}),
    (select allowed.capacity from hosts where id = $1 and shunned_until > now())),
  $6::jsonb, $7::real, $8::real, now(), now() + make_interval(secs => $9 / 1000.0), reported.disagrees,
  now() - make_interval(secs => $10 / 1000.0), $11::boolean
from allowed, reported
where not exists (select from joined where ended_at is not null)
on conflict (id) do update set
  boot_id = excluded.boot_id, capacity = excluded.capacity, claimed_capacity = excluded.claimed_capacity,
  session_count = excluded.session_count, sessions = excluded.sessions, load_cpu = excluded.load_cpu,
  load_memory = excluded.load_memory, seen_at = excluded.seen_at, lease_until = excluded.lease_until,
  disagrees = excluded.disagrees, unused_since = excluded.unused_since,
  is_leaving = excluded.is_leaving,
  started_at = case when h.boot_id = excluded.boot_id then h.started_at else now() end
returning capacity, (
  select coalesce(json_agg(json_build_object('session_id', b.session_id, 'epoch', b.epoch)), '[]')
  from jsonb_to_recordset($6::jsonb) as s(session_id uuid, epoch bigint) join lateral ${reportedBrowser} on true
  where b.epoch > s.epoch and (b.host_id <> $1 or b.boot_id <> $2)) as "openedElsewhere"`;

/** The most sessions that this host may hold, from its next heartbeat on; null: the default of the agents. */
async function setLimit(tx: Tx, hostId: string, maxSessions: number | null): Promise<void> {
  if (maxSessions === null) await tx.db.deleteFrom('host_limits').where('host_id', '=', hostId).execute();
  else
    await tx.db
      .insertInto('host_limits')
      .values({ host_id: hostId, max_sessions: maxSessions })
      .onConflict((conflict) =>
        conflict.column('host_id').doUpdateSet({ max_sessions: maxSessions, set_at: sql`now()` }),
      )
      .execute();
}

/** The same for a host that was heard of within a day, or that has a limit; false if there is none. */
async function changeLimit(tx: Tx, hostId: string, maxSessions: number | null): Promise<boolean> {
  const { rows } = await tx.client.query<{ is_known: boolean }>({
    name: 'hosts.isKnown',
    text: `select exists (select from hosts where id = $1) or exists (select from host_limits where host_id = $1) as is_known`,
    values: [hostId],
  });
  if (!rows[0]?.is_known) return false;
  await setLimit(tx, hostId, maxSessions);
  return true;
}

export function createHosts({ db, pool, vital }: Database) {
  return {
    /** Grants the lease, and says in the same statement which browsers of the host were opened elsewhere. None to one that was ended. */
    async renew({
      hostId,
      bootId,
      capacity,
      sessions,
      load,
      isLeaving,
      leaseMs,
      maxSessions,
    }: HostReport): Promise<Renewal> {
      // A host may report anything; a malformed id would break queries that read the list.
      const reported = sessions.filter(({ session_id }) => isId(session_id));
      const unused = reported
        .filter(({ is_watched }) => !is_watched)
        .map(({ idle_ms }) => Math.min(idle_ms, maxIdleMs));
      const { rows } = await vital.pool.query<Renewal>({
        name: 'hosts.renew',
        text: renewText,
        values: [
          hostId,
          bootId,
          capacity,
          maxSessions ?? capacity,
          sessions.length,
          JSON.stringify(reported),
          load?.cpu ?? null,
          load?.memory ?? null,
          leaseMs,
          unused.length > 0 ? Math.max(...unused) : null,
          isLeaving ?? false,
        ],
      });
      const [row] = rows;
      if (!row) throw new Error('this host was ended, and gets no lease');
      return row;
    },

    setLimit,
    changeLimit,

    /** Every host that has a lease or a limit, sorted by id. */
    async list(): Promise<HostRoom[]> {
      const { rows } = await pool.query<HostRoom>(
        `select coalesce(h.id, l.host_id) as id, h.claimed_capacity as "claimed", h.capacity as "allowed",
           l.max_sessions as "limit", h.session_count as "sessions", h.shunned_until > now() as "isShunned"
         from (select * from hosts where lease_until > now()) h full join host_limits l on l.host_id = h.id
         order by 1`,
      );
      return rows;
    },

    /** Hosts with a valid lease, sorted by id. */
    live: () => db.selectFrom('hosts').selectAll().where('lease_until', '>', sql<Date>`now()`).orderBy('id').execute(),

    /** Removes hosts that are gone for a day and hold no browser by the rows; returns how many. */
    async sweep(limit: number): Promise<number> {
      return countRows(pool, {
        name: 'hosts.sweep',
        text: `delete from hosts where id in (
                 select h.id from hosts h where h.lease_until < now() - interval '1 day'
                   and not exists (select from browsers b where b.host_id = h.id)
                 limit $1 for update of h skip locked)`,
        values: [limit],
      });
    },
  };
}
