import { isId } from '@pilothouse/contract';
import { sql } from 'kysely';
import type { Database } from './db.ts';

export type HostReport = {
  hostId: string;
  bootId: string;
  capacity: number;
  sessions: HeldSession[];
  load?: { cpu: number; memory: number };
  leaseMs: number;
};
/** A session as the host that holds it tells of it. */
export type HeldSession = { session_id: string; epoch: number; is_watched: boolean; idle_ms: number };

/** Browser hosts as agents last heard of them. The database's clock grants the lease. */
export function createHosts({ db, pool }: Database) {
  return {
    async renew({ hostId, bootId, capacity, sessions, load, leaseMs }: HostReport): Promise<void> {
      const heard = {
        boot_id: bootId,
        capacity,
        session_count: sessions.length,
        // A host may say anything; what is none of our ids would break whoever reads the list.
        sessions: JSON.stringify(sessions.filter(({ session_id }) => isId(session_id))),
        load_cpu: load?.cpu ?? null,
        load_memory: load?.memory ?? null,
        seen_at: sql<Date>`now()`,
        lease_until: sql<Date>`now() + make_interval(secs => ${leaseMs / 1000})`,
      };
      await db
        .insertInto('hosts')
        .values({ id: hostId, ...heard })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({
            ...heard,
            started_at: sql`case when hosts.boot_id = excluded.boot_id then hosts.started_at else now() end`,
          }),
        )
        .execute();
    },

    /** Those whose lease still holds, by name. */
    live: () => db.selectFrom('hosts').selectAll().where('lease_until', '>', sql<Date>`now()`).orderBy('id').execute(),

    /** Removes those that are gone for a day, and that no session is said to be at; answers how many. */
    async sweep(): Promise<number> {
      const { rowCount } = await pool.query(
        `delete from hosts h where h.lease_until < now() - interval '1 day'
           and not exists (select from browsers b where b.host_id = h.id)`,
      );
      return rowCount ?? 0;
    },
  };
}
