// Browser hosts as agents last heard of them. The database's clock grants their leases.

import { isId } from '@pilothouse/contract';
import { sql } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import { isAt } from './queue-order.ts';

export type HostReport = {
  hostId: string;
  bootId: string;
  capacity: number;
  sessions: ReportedSession[];
  load?: { cpu: number; memory: number };
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

export function createHosts({ db, pool }: Database) {
  return {
    /** Returns how many sessions the host may hold: what it claims, and no more than the operator allows. */
    async renew({ hostId, bootId, capacity, sessions, load, leaseMs, maxSessions }: HostReport): Promise<number> {
      const allowed = sql<number>`least(${capacity}::int, coalesce(
        (select max_sessions from host_limits where host_id = ${hostId}), ${maxSessions ?? capacity}::int))`;
      const reported = {
        boot_id: bootId,
        capacity: allowed,
        claimed_capacity: capacity,
        // Browsers that were assigned to it count, whatever it reports; and a shunned host has no room.
        session_count: sql<number>`greatest(${sessions.length}::int,
          (select count(*)::int from browsers b where b.host_id = ${hostId} and b.boot_id = ${bootId} and ${sql.raw(isAt)}),
          (select ${allowed} from hosts where id = ${hostId} and shunned_until > now()))`,
        // A host may report anything; a malformed id would break queries that read the list.
        sessions: JSON.stringify(sessions.filter(({ session_id }) => isId(session_id))),
        load_cpu: load?.cpu ?? null,
        load_memory: load?.memory ?? null,
        seen_at: sql<Date>`now()`,
        lease_until: sql<Date>`now() + make_interval(secs => ${leaseMs / 1000})`,
      };
      const row = await db
        .insertInto('hosts')
        .values({ id: hostId, ...reported })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({
            ...reported,
            started_at: sql`case when hosts.boot_id = excluded.boot_id then hosts.started_at else now() end`,
          }),
        )
        .returning('capacity')
        .executeTakeFirstOrThrow();
      return row.capacity;
    },

    /** The most sessions that this host may hold, from its next heartbeat on; null: the default of the agents. */
    async setLimit(tx: Tx, hostId: string, maxSessions: number | null): Promise<void> {
      if (maxSessions === null) await tx.db.deleteFrom('host_limits').where('host_id', '=', hostId).execute();
      else
        await tx.db
          .insertInto('host_limits')
          .values({ host_id: hostId, max_sessions: maxSessions })
          .onConflict((conflict) =>
            conflict.column('host_id').doUpdateSet({ max_sessions: maxSessions, set_at: sql`now()` }),
          )
          .execute();
    },

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
      const { rowCount } = await pool.query({
        name: 'hosts.sweep',
        text: `delete from hosts where id in (
                 select h.id from hosts h where h.lease_until < now() - interval '1 day'
                   and not exists (select from browsers b where b.host_id = h.id)
                 limit $1 for update of h skip locked)`,
        values: [limit],
      });
      return rowCount ?? 0;
    },
  };
}
