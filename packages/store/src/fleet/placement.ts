// Which host holds the browser of each session, and under which epoch its driver may act.

import { sql } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import type { BrowserState, JsonValue } from '../db/generated.ts';
import { countSessions, type HostHold } from './host-hold.ts';
import { mayLive } from './host-life.ts';
import { type StateEncoding, savedColumns } from './saved-states.ts';

/** A browser's host and its present epoch: after a raise of the epoch, the host has to be told. */
export type DriverChange = { session_id: string; host_id: string; epoch: number };
type NewHost = { id: string; bootId: string; reach?: object };

/** Each browser, and whether its host is the same process that opened it and still has its lease. */
export type BrowserPlacement = {
  session_id: string;
  host_id: string | null;
  epoch: number;
  opened_epoch: number;
  reach: JsonValue | null;
  browser: BrowserState;
  is_live: boolean;
  /** The host is gone, so the browser may be opened elsewhere. Where it is neither, the host may come back with it. */
  is_gone: boolean;
  /** The host is about to end. */
  is_leaving: boolean;
  /** The person who drives the browser, and under which epoch. */
  driver: { userId: string; epoch: number } | null;
};
const placementText = `
select b.session_id, b.host_id, b.epoch, b.opened_epoch, b.reach, s.browser,
  coalesce(h.lease_until > now(), false) as is_live, h.id is null or not ${mayLive('h')} as is_gone,
  coalesce(h.is_leaving, false) as is_leaving,
  (select json_build_object('userId', w.holder_id, 'epoch', w.epoch) from takeovers w
   where w.session_id = b.session_id and w.status = 'active') as driver
from browsers b join sessions s on s.id = b.session_id
left join hosts h on h.id = b.host_id and h.boot_id = b.boot_id`;

export function createPlacement({ pool }: Database, encoding: StateEncoding) {
  return {
    async of(sessionId: string): Promise<BrowserPlacement | undefined> {
      const { rows } = await pool.query<BrowserPlacement>({
        name: 'browsers.of',
        text: `${placementText} where b.session_id = $1`,
        values: [sessionId],
      });
      return rows[0];
    },

    /** By session id; sessions without a browser are left out. */
    async ofAll(sessionIds: readonly string[]): Promise<Map<string, BrowserPlacement>> {
      const { rows } = await pool.query<BrowserPlacement>({
        name: 'browsers.ofAll',
        text: `${placementText} where b.session_id = any($1)`,
        values: [sessionIds],
      });
      return new Map(rows.map((row) => [row.session_id, row]));
    },

    /**
     * Gives the session to a host under a new epoch. Undefined if the epoch is no longer `before`: another agent was
     * first.
     */
    async assign(tx: Tx, sessionId: string, host: NewHost, before: number) {
      const reach = host.reach === undefined ? null : JSON.stringify(host.reach);
      const epochs = { epoch: before + 1, opened_epoch: before + 1 };
      const owner_id = sql<string>`(select owner_id from sessions where id = ${sessionId})`;
      const row = await tx.db
        .insertInto('browsers')
        .values({ session_id: sessionId, owner_id, host_id: host.id, boot_id: host.bootId, ...epochs, reach })
        .onConflict((conflict) =>
          conflict
            .column('session_id')
            .doUpdateSet({ owner_id, host_id: host.id, boot_id: host.bootId, ...epochs, reach })
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

  /** The same, also where a program of the session has taken the wheel of that browser since. */
  async isStillAt({ client }: Tx, sessionId: string, { hostId, epoch }: HostHold): Promise<boolean> {
    const { rowCount } = await client.query({
      name: 'browsers.isStillAt',
      text: `select from browsers
             where session_id = $1 and host_id = $2 and (epoch = $3 or epoch > $3 and program_epoch = epoch)`,
      values: [sessionId, hostId, epoch],
    });
    return rowCount === 1;
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
               and not exists (select from tasks t where t.session_id = $1 and t.status = 'running'
                               and t.program_id is null)`,
      values: [sessionId, hostId, epoch],
    });
    if (rowCount) await countSessions(tx, hostId, -1);
    return rowCount === 1;
  },
};
