// Where the rows and the hosts disagree: hosts that hold too much, hosts that have not heard of a driver, hosts that
// are gone.

import type { Database, Tx } from '../db/db.ts';
import { type HeldBrowser, reportedSessions } from './host-hold.ts';

/** A browser that a host should not have, under an epoch that lets it be closed. */
export type Orphan = HeldBrowser & {
  /** Of the host's present start. */
  bootId: string;
  /** The session is in the database. */
  isKnown: boolean;
};

/** As many as one look of an agent handles at one host. */
const maxPerHost = 100;
const maxBehind = 50;

const isAtLiveHost = (sessionId: string) =>
  `exists (select from browsers at join hosts h on h.id = at.host_id and h.boot_id = at.boot_id
           where at.session_id = ${sessionId} and h.lease_until > now())`;

export function createMisplacedBrowsers({ pool }: Database) {
  return {
    /**
     * Browsers that hosts still hold although they were taken from them, or under an epoch that was never assigned,
     * each with an epoch under which it may be closed. A row names its host before the host hears of the session, so a
     * host that the row does not name holds a browser that is no longer its own, whatever its epoch. A host hears of an
     * epoch only after its commit, so an epoch ahead of the row is forged, or belongs to a database that has since been
     * restored from a backup. For each host the sessions that exist come first, then the longest idle.
     */
    async orphans(): Promise<Orphan[]> {
      const { rows } = await pool.query<Orphan>({
        name: 'browsers.strays',
        text: `select o.session_id as "sessionId", h.id as "hostId", h.boot_id as "bootId", o.epoch, o.is_known as "isKnown"
               from hosts h cross join lateral (
                 select s.session_id, greatest(b.epoch, s.epoch) as epoch, b.session_id is not null as is_known, s.idle_ms
                 from ${reportedSessions} left join browsers b on b.session_id = s.session_id
                 where s.epoch > b.epoch or (b.host_id, b.boot_id) is distinct from (h.id, h.boot_id)
                 order by is_known desc, s.idle_ms desc, s.session_id limit ${maxPerHost}) as o
               where h.lease_until > now()
               order by h.id, o.is_known desc, o.idle_ms desc, o.session_id`,
      });
      return rows;
    },

    /**
     * Browsers whose host has not heard of their present driver. Hosts take turns, and each of their browsers comes up at
     * random, so that those which never catch up do not hide the others.
     */
    async hostsWithOldDriver(): Promise<(HeldBrowser & { isPerson: boolean })[]> {
      const { rows } = await pool.query<HeldBrowser & { isPerson: boolean }>({
        name: 'browsers.behind',
        text: `select b.session_id as "sessionId", h.id as "hostId", b.epoch,
                 exists (select from takeovers w where w.session_id = b.session_id and w.epoch = b.epoch
                         and w.status in ('requested', 'active')) as "isPerson"
               from hosts h cross join lateral ${reportedSessions}
               join browsers b on b.session_id = s.session_id and b.host_id = h.id and b.boot_id = h.boot_id
               where h.lease_until > now() and b.epoch > s.epoch
                 and not exists (select from tasks t where t.session_id = b.session_id and t.status = 'running')
               order by row_number() over (partition by h.id order by random()), random()
               limit ${maxBehind}`,
      });
      return rows;
    },

    /** Sessions whose row says that they have a browser, and whose host is gone. */
    async withoutHost(): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>({
        name: 'browsers.gone',
        text: `select id from sessions where browser <> 'cold' and not ${isAtLiveHost('sessions.id')} order by updated_at`,
      });
      return rows.map(({ id }) => id);
    },

    /** Takes the browser from a host that is gone; false if a live host holds it. */
    async releaseGone(tx: Tx, sessionId: string): Promise<boolean> {
      await tx.client.query({
        name: 'browsers.releaseGone',
        text: `update browsers set host_id = null, boot_id = null
               where session_id = $1 and host_id is not null and not ${isAtLiveHost('browsers.session_id')}`,
        values: [sessionId],
      });
      const { rows } = await tx.client.query<{ is_gone: boolean }>({
        name: 'browsers.isGone',
        text: `select not ${isAtLiveHost('$1')} as is_gone`,
        values: [sessionId],
      });
      return rows[0]?.is_gone === true;
    },
  };
}
