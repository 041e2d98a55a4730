// Browsers that are open and not in use: finds them, and takes them from their hosts (parks them).

import type { Database, Tx } from '../db/db.ts';
import { claimFound, isUnclaimed } from '../db/job-claims.ts';
import {
  countSessions,
  type HeldBrowser,
  type HostHold,
  isHostLive,
  reportedBrowser,
  reportedSessions,
} from './host-hold.ts';

/** Most for one agent at a time: each takes requests to a host. */
const parkedAtOnce = 50;
const isParkable = isUnclaimed('park', 'b.session_id');
const takeFound = `, ${claimFound('park')}
  select session_id as "sessionId", host_id as "hostId", epoch from found join claimed using (session_id)`;

export function createIdleBrowsers({ pool }: Database) {
  return {
    /**
     * Browsers without a task, driver or viewer that were not used for this long; the longest unused first. Each is given to one
     * of the agents that ask.
     */
    async unused(idleMs: number): Promise<HeldBrowser[]> {
      const { rows } = await pool.query<HeldBrowser>({
        name: 'browsers.unused',
        text: `with found as (
                 select b.session_id, b.host_id, b.epoch
                 from hosts h cross join lateral ${reportedSessions} cross join lateral ${reportedBrowser}
                 join sessions on sessions.id = b.session_id
                 where h.lease_until > now() and h.unused_since <= now() - make_interval(secs => $1 / 1000.0)
                   and b.host_id = h.id and b.boot_id = h.boot_id
                   -- A host that was not told of a newer driver holds it all the same.
                   and s.epoch <= b.epoch
                   and sessions.status in ('idle', 'closed') and not s.is_watched
                   and s.idle_ms + 1000 * extract(epoch from now() - h.seen_at) >= $1 and ${isParkable}
                 order by s.idle_ms desc limit ${parkedAtOnce}
               )${takeFound}`,
        values: [idleMs],
      });
      return rows;
    },

    /**
     * Takes the browser away from its host under a new epoch, which it returns, unless a task has begun in the session.
     * A task that begins later opens a new browser, and is not affected by the closing of the old one.
     */
    async park(tx: Tx, sessionId: string, { hostId, epoch }: HostHold): Promise<number | undefined> {
      const { rows } = await tx.client.query<{ epoch: number }>({
        name: 'browsers.park',
        text: `update browsers b set host_id = null, boot_id = null, epoch = b.epoch + 1
               from sessions s
               where b.session_id = $1 and b.host_id = $2 and b.epoch = $3
                 and s.id = b.session_id and s.status in ('idle', 'closed')
                 and not exists (select from tasks t
                                 where t.session_id = $1 and t.status not in ('success', 'failed', 'cancelled')
                                   and t.program_id is null)
               returning b.epoch`,
        values: [sessionId, hostId, epoch],
      });
      if (rows[0]) await countSessions(tx, hostId, -1);
      return rows[0]?.epoch;
    },

    /** Browsers of sessions whose task has waited for a person for longer than this. Each is given to one of the agents. */
    async waitingTooLong(waitMs: number): Promise<HeldBrowser[]> {
      const { rows } = await pool.query<HeldBrowser>({
        name: 'browsers.forgotten',
        text: `with found as (
                 select b.session_id, b.host_id, b.epoch
                 from tasks t join browsers b on b.session_id = t.session_id
                 where t.status = 'awaiting_user' and t.paused_at < now() - make_interval(secs => $1 / 1000.0)
                   and ${isHostLive} and ${isParkable}
                 order by t.paused_at limit ${parkedAtOnce}
               )${takeFound}`,
        values: [waitMs],
      });
      return rows;
    },

    /** As `park`, for the browser of a task that waits for a person, unless it no longer waits. */
    async parkWaiting(tx: Tx, sessionId: string, { hostId, epoch }: HostHold): Promise<number | undefined> {
      const { rows } = await tx.client.query<{ epoch: number }>({
        name: 'browsers.parkWaiting',
        text: `update browsers b set host_id = null, boot_id = null, epoch = b.epoch + 1
               where b.session_id = $1 and b.host_id = $2 and b.epoch = $3
                 and exists (select from tasks t where t.session_id = $1 and t.status = 'awaiting_user')
                 and not exists (select from tasks t where t.session_id = $1 and t.status in ('running', 'takeover')
                                 and t.program_id is null)
               returning b.epoch`,
        values: [sessionId, hostId, epoch],
      });
      if (rows[0]) await countSessions(tx, hostId, -1);
      return rows[0]?.epoch;
    },
  };
}
