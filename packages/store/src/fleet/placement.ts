// Which host holds the browser of each session, and under which epoch its driver may act.

import { sql } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import { countSessions, type HostHold } from './host-hold.ts';
import { type StateEncoding, savedColumns } from './saved-states.ts';

/** A browser's host and its present epoch: after a raise of the epoch, the host has to be told. */
export type DriverChange = { session_id: string; host_id: string; epoch: number };
type NewHost = { id: string; bootId: string; reach?: object };

export function createPlacement({ db }: Database, encoding: StateEncoding) {
  /** Each browser, and whether its host still has its lease and is the same process that opened it. */
  const placements = db
    .selectFrom('browsers')
    .leftJoin('hosts', (join) =>
      join.onRef('hosts.id', '=', 'browsers.host_id').onRef('hosts.boot_id', '=', 'browsers.boot_id'),
    )
    .select(['browsers.session_id', 'browsers.host_id', 'browsers.epoch', 'browsers.opened_epoch', 'browsers.reach'])
    .innerJoin('sessions', 'sessions.id', 'browsers.session_id')
    .select('sessions.browser')
    .select(sql<boolean>`coalesce(hosts.lease_until > now(), false)`.as('is_live'))
    .select(driver.as('driver'));

  return {
    of: (sessionId: string) => placements.where('browsers.session_id', '=', sessionId).executeTakeFirst(),

    /** By session id; sessions without a browser are left out. */
    async ofAll(sessionIds: readonly string[]) {
      const rows = await placements.where('browsers.session_id', '=', sql<string>`any(${sessionIds})`).execute();
      return new Map(rows.map((row) => [row.session_id, row]));
    },

    /**
     * Gives the session to a host under a new epoch. Undefined if the epoch is no longer `before`: another agent was
     * first.
     */
    async assign(tx: Tx, sessionId: string, host: NewHost, before: number) {
      const reach = host.reach === undefined ? null : JSON.stringify(host.reach);
      const epochs = { epoch: before + 1, opened_epoch: before + 1 };
      const row = await tx.db
        .insertInto('browsers')
        .values({ session_id: sessionId, host_id: host.id, boot_id: host.bootId, ...epochs, reach })
        .onConflict((conflict) =>
          conflict
            .column('session_id')
            .doUpdateSet({ host_id: host.id, boot_id: host.bootId, ...epochs, reach })
            .where('browsers.epoch', '=', before),
        )
        .returning(['epoch', 'host_id', ...savedColumns])
        .executeTakeFirst();
      if (!row) return undefined;
      await countSessions(tx, host.id, 1);
      return { epoch: row.epoch, host_id: row.host_id, state: encoding.decode(sessionId, row) };
    },

    /** The host and epoch of a browser. Call in the transaction that has locked the session. */
    async at(tx: Tx, sessionId: string): Promise<DriverChange | undefined> {
      const row = await tx.db
        .selectFrom('browsers')
        .select(['host_id', 'epoch'])
        .where('session_id', '=', sessionId)
        .executeTakeFirst();
      return row?.host_id ? { session_id: sessionId, host_id: row.host_id, epoch: row.epoch } : undefined;
    },

    /** Raises the epoch of a browser that a host holds, so that the present driver may no longer act. Tell the host. */
    async fence(tx: Tx, sessionId: string): Promise<DriverChange | undefined> {
      const row = await tx.db
        .updateTable('browsers')
        .set({ epoch: sql`epoch + 1` })
        .where('session_id', '=', sessionId)
        .where('host_id', 'is not', null)
        .returning(['host_id', 'epoch'])
        .executeTakeFirst();
      return row?.host_id ? { session_id: sessionId, host_id: row.host_id, epoch: row.epoch } : undefined;
    },

    ...holds,
  };
}

/** Whether a host holds a browser, and the end of it. */
const holds = {
  async isHeldBy(tx: Tx, sessionId: string, { hostId, epoch }: HostHold): Promise<boolean> {
    const row = await tx.db
      .selectFrom('browsers')
      .select('session_id')
      .where('session_id', '=', sessionId)
      .where('host_id', '=', hostId)
      .where('epoch', '=', epoch)
      .executeTakeFirst();
    return row !== undefined;
  },

  /** Takes the browser from its host; its saved state stays. False if this host does not hold it under this epoch. */
  async release(tx: Tx, sessionId: string, { hostId, epoch }: HostHold): Promise<boolean> {
    const { numUpdatedRows } = await tx.db
      .updateTable('browsers')
      .set({ host_id: null, boot_id: null })
      .where('session_id', '=', sessionId)
      .where('host_id', '=', hostId)
      .where('epoch', '=', epoch)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await countSessions(tx, hostId, -1);
    return numUpdatedRows > 0n;
  },

  /**
   * Takes the browser from a host that does not answer and may still have it. The new epoch lets agents close it there.
   * False if this host does not hold it under this epoch, or while a task runs: the agent of the task decides.
   */
  async giveUp(tx: Tx, sessionId: string, { hostId, epoch }: HostHold): Promise<boolean> {
    const { rowCount } = await tx.client.query({
      name: 'browsers.giveUp',
      text: `update browsers b set host_id = null, boot_id = null, epoch = b.epoch + 1
             where b.session_id = $1 and b.host_id = $2 and b.epoch = $3
               and not exists (select from tasks t where t.session_id = $1 and t.status = 'running')`,
      values: [sessionId, hostId, epoch],
    });
    if (rowCount) await countSessions(tx, hostId, -1);
    return rowCount === 1;
  },
};

/** The person who drives the browser, and under which epoch. */
const driver = sql<{
  userId: string;
  epoch: number;
} | null>`(select json_build_object('userId', w.holder_id, 'epoch', w.epoch) from takeovers w
           where w.session_id = browsers.session_id and w.status = 'active')`;
