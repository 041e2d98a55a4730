import { sql } from 'kysely';
import type { Database } from './db.ts';

export type HostReport = { hostId: string; bootId: string; capacity: number; sessionCount: number; leaseMs: number };

/** Browser hosts as agents last heard of them. The database's clock grants the lease. */
export function createHosts({ db }: Database) {
  return {
    async renew({ hostId, bootId, capacity, sessionCount, leaseMs }: HostReport): Promise<void> {
      const heard = {
        boot_id: bootId,
        capacity,
        session_count: sessionCount,
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
  };
}
