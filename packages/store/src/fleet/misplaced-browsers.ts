// Where the rows and the hosts disagree: hosts that hold too much, hosts that have not heard of a driver, hosts that
// are gone. Each heartbeat says whether there is anything to find at its host.

import type { Database, Tx } from '../db/db.ts';
import { claimFound, isUnclaimed } from '../db/job-claims.ts';
import { type HeldBrowser, reportedBrowser, reportedSessions } from './host-hold.ts';
import { mayLive } from './host-life.ts';

/** A browser that a host should not have, under an epoch that lets it be closed. */
export type Orphan = HeldBrowser & {
  /** Of the host's present start. */
  bootId: string;
  /** The session is in the database. */
  isKnown: boolean;
};

const isAtHost = (sessionId: string) =>
  `exists (select from browsers at join hosts h on h.id = at.host_id and h.boot_id = at.boot_id
           where at.session_id = ${sessionId} and ${mayLive('h')})`;

/** As many as one look of an agent handles, at one host and at all: each takes a request to a host. */
const closedAtOnce = 100;
const toldAtOnce = 50;
/** Each takes a short transaction. When a host is gone, its sessions should not wait for long. */
const markedAtOnce = 250;

/** Read once and looked up, however many there are. */
const atHosts = `select at.session_id from browsers at join hosts h on h.id = at.host_id and h.boot_id = at.boot_id
                     where ${mayLive('h')}`;

const orphansText = `with found as (
  select o.session_id, o.epoch, o.is_known, o.idle_ms, h.id as host_id, h.boot_id
  from hosts h cross join lateral (
    select s.session_id, greatest(b.epoch, s.epoch) as epoch, b.session_id is not null as is_known, s.idle_ms
    from ${reportedSessions} left join lateral ${reportedBrowser} on true
    where (s.epoch > b.epoch or (b.host_id, b.boot_id) is distinct from (h.id, h.boot_id))
      and ${isUnclaimed('close_orphan', 's.session_id')}
    order by is_known desc, s.idle_ms desc, s.session_id limit ${closedAtOnce}) as o
  where h.lease_until > now() and h.disagrees
), ${claimFound('close_orphan')}
select session_id as "sessionId", host_id as "hostId", boot_id as "bootId", epoch, is_known as "isKnown"
from found join claimed using (session_id)
order by host_id, is_known desc, idle_ms desc, session_id`;

export function createMisplacedBrowsers({ pool }: Database) {
  return {
    /**
     * Browsers that hosts still hold although they were taken from them, or under an epoch that was never assigned,
     * each with an epoch under which it may be closed. A row names its host before the host hears of the session, so a
     * host that the row does not name holds a browser that is no longer its own, whatever its epoch. A host hears of an
     * epoch only after its commit, so an epoch ahead of the row is forged, or belongs to a database that has since been
     * restored from a backup. For each host the sessions that exist come first, then the longest idle. Each is given to
     * one of the agents that ask.
     */
    async orphans(): Promise<Orphan[]> {
      const { rows } = await pool.query<Orphan>({
        name: 'browsers.strays',
        text: orphansText,
      });
      return rows;
    },

    /**
     * Browsers whose host has not heard of their present driver. Hosts take turns, and each of their browsers comes up at
     * random, so that those which never catch up do not hide the others. Each is given to one of the agents that ask.
     */
    async hostsWithOldDriver(): Promise<(HeldBrowser & { isPerson: boolean })[]> {
      const { rows } = await pool.query<HeldBrowser & { isPerson: boolean }>({
        name: 'browsers.behind',
        text: `with found as (
                 select b.session_id, h.id as host_id, b.epoch,
                   exists (select from takeovers w where w.session_id = b.session_id and w.epoch = b.epoch
                           and w.status in ('requested', 'active')) as is_person
                 from hosts h cross join lateral ${reportedSessions} cross join lateral ${reportedBrowser}
                 where h.lease_until > now() and h.disagrees and b.host_id = h.id and b.boot_id = h.boot_id
                   and b.epoch > s.epoch and ${isUnclaimed('tell_driver', 'b.session_id')}
                   and not exists (select from tasks t where t.session_id = b.session_id and t.status = 'running'
                                   and t.program_id is null)
                 order by row_number() over (partition by h.id order by random()), random() limit ${toldAtOnce}
               ), ${claimFound('tell_driver')}
               select session_id as "sessionId", host_id as "hostId", epoch, is_person as "isPerson"
               from found join claimed using (session_id)`,
      });
      return rows;
    },

    /** Sessions whose row says that they have a browser, and whose host is gone. Each is given to one of the agents that ask. */
    async withoutHost(): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>({
        name: 'browsers.gone',
        text: `with found as (
                 select id as session_id from sessions where browser <> 'cold' and id not in (${atHosts})
                   and ${isUnclaimed('mark_gone', 'sessions.id')}
                 limit ${markedAtOnce}
               ), ${claimFound('mark_gone')}
               select session_id as id from claimed`,
      });
      return rows.map(({ id }) => id);
    },

    /** Takes the browser from a host that is gone; false if a host holds it that lives, or may live. */
    async releaseGone(tx: Tx, sessionId: string): Promise<boolean> {
      await tx.client.query({
        name: 'browsers.releaseGone',
        text: `update browsers set host_id = null, boot_id = null
               where session_id = $1 and host_id is not null and not ${isAtHost('browsers.session_id')}`,
        values: [sessionId],
      });
      const { rows } = await tx.client.query<{ is_gone: boolean }>({
        name: 'browsers.isGone',
        text: `select not ${isAtHost('$1')} as is_gone`,
        values: [sessionId],
      });
      return rows[0]?.is_gone === true;
    },
  };
}
