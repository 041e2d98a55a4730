import { sql } from 'kysely';
import type { Database, Tx } from './db.ts';

/** Where each session's browser is, and the epoch of whoever may act in it. */
export function createBrowsers({ db }: Database) {
  return {
    /** The browser, and whether its host still has its lease and is the same process that opened it. */
    of: (sessionId: string) =>
      db
        .selectFrom('browsers')
        .leftJoin('hosts', (join) =>
          join.onRef('hosts.id', '=', 'browsers.host_id').onRef('hosts.boot_id', '=', 'browsers.boot_id'),
        )
        .select(['browsers.session_id', 'browsers.host_id', 'browsers.epoch', 'browsers.state'])
        .select(sql<boolean>`coalesce(hosts.lease_until > now(), false)`.as('is_live'))
        .where('browsers.session_id', '=', sessionId)
        .executeTakeFirst(),

    /** Gives the session to a host under a new epoch, unless somebody else was quicker. */
    async assign(tx: Tx, sessionId: string, host: { id: string; bootId: string }, before: number) {
      const row = await tx.db
        .insertInto('browsers')
        .values({ session_id: sessionId, host_id: host.id, boot_id: host.bootId, epoch: before + 1 })
        .onConflict((conflict) =>
          conflict
            .column('session_id')
            .doUpdateSet({ host_id: host.id, boot_id: host.bootId, epoch: before + 1 })
            .where('browsers.epoch', '=', before),
        )
        .returning(['epoch', 'host_id', 'state'])
        .executeTakeFirst();
      if (row) await countSessions(tx, host.id, 1);
      return row;
    },

    /** Keeps what would bring the browser back; an older driver's is not taken. */
    async saveState(tx: Tx, sessionId: string, epoch: number, state: object): Promise<void> {
      await tx.db
        .updateTable('browsers')
        .set({ state: JSON.stringify(state) })
        .where('session_id', '=', sessionId)
        .where('epoch', '=', epoch)
        .execute();
    },

    /** The host that holds the most room right now. */
    roomiest: () =>
      db
        .selectFrom('hosts')
        .select(['id', 'boot_id'])
        .where('lease_until', '>', sql<Date>`now()`)
        .where('session_count', '<', sql<number>`capacity`)
        .orderBy(sql`capacity - session_count`, 'desc')
        .orderBy('id')
        .executeTakeFirst(),

    /** The open browser whose session has rested longest; none that works or is driven. */
    coldest: () =>
      db
        .selectFrom('browsers')
        .innerJoin('sessions', 'sessions.id', 'browsers.session_id')
        .innerJoin('hosts', (join) =>
          join.onRef('hosts.id', '=', 'browsers.host_id').onRef('hosts.boot_id', '=', 'browsers.boot_id'),
        )
        .select(['browsers.session_id', 'browsers.host_id', 'browsers.epoch'])
        .where('sessions.status', 'in', ['idle', 'closed'])
        .where('hosts.lease_until', '>', sql<Date>`now()`)
        .orderBy('sessions.updated_at')
        .executeTakeFirst(),

    /** No host holds it any more; its saved state stays. */
    async release(tx: Tx, sessionId: string, { hostId, epoch }: { hostId: string; epoch: number }): Promise<void> {
      const { numUpdatedRows } = await tx.db
        .updateTable('browsers')
        .set({ host_id: null, boot_id: null })
        .where('session_id', '=', sessionId)
        .where('epoch', '=', epoch)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) await countSessions(tx, hostId, -1);
    },
  };
}

/** Until the host's next heartbeat says it better: who looks for room in between should not be misled. */
const countSessions = (tx: Tx, hostId: string, change: 1 | -1) =>
  tx.db
    .updateTable('hosts')
    .set({ session_count: sql`greatest(0, session_count + ${change}::int)` })
    .where('id', '=', hostId)
    .execute();
