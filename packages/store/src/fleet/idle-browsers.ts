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

/** `isEmptied`: its host takes no more, so its viewers do not keep it there. */
export type IdleBrowser = HeldBrowser & { isEmptied: boolean };

/** Most for one agent at a time: each takes requests to a host. */
const parkedAtOnce = 50;
const isParkable = isUnclaimed('park', 'b.session_id');
/** The host ends soon, or its operator wants it empty. */
const takesNone = 'h.capacity = 0';
const unusedMs = 's.idle_ms + 1000 * extract(epoch from now() - h.seen_at)';
/** What the last act has begun, such as a form that is being sent, has ended by then. */
const restMs = 2000;
/** A program that has paused for so long is taken to be between two pieces of its work. */
const programPauseMs = 10_000;
/** What a program does is a task, but no row says that it is in the middle of something: only how long ago it acted. */
const isProgramAtWork = `(b.program_epoch = b.epoch and ${unusedMs} < ${programPauseMs})`;
const mayLeave = `case when ${isProgramAtWork} then h.is_leaving else ${unusedMs} >= ${restMs} end`;
const takeFound = `, ${claimFound('park')}
  select session_id as "sessionId", host_id as "hostId", epoch,
    exists (select from hosts h where h.id = found.host_id and ${takesNone}) as "isEmptied" from found join claimed using (session_id)`;

const unusedText = `with found as (
  select b.session_id, b.host_id, b.epoch
  from hosts h cross join lateral ${reportedSessions} cross join lateral ${reportedBrowser}
  join sessions on sessions.id = b.session_id
  where h.lease_until > now() and (h.unused_since <= now() - make_interval(secs => $1 / 1000.0) or ${takesNone})
    and b.host_id = h.id and b.boot_id = h.boot_id
    -- A host that was not told of a newer driver holds it all the same.
    and s.epoch <= b.epoch
    and sessions.status in ('idle', 'closed') and ${isParkable}
    and (${takesNone} and ${mayLeave} or not s.is_watched and ${unusedMs} >= $1)
  order by s.idle_ms desc limit ${parkedAtOnce}
)${takeFound}`;

const waitingText = `with found as (
  (select b.session_id, b.host_id, b.epoch
   from tasks t join browsers b on b.session_id = t.session_id
   where t.status = 'awaiting_user' and t.paused_at < now() - make_interval(secs => $1 / 1000.0)
     and ${isHostLive} and ${isParkable}
   order by t.paused_at limit ${parkedAtOnce})
  union
  (select b.session_id, b.host_id, b.epoch
   from hosts h join browsers b on b.host_id = h.id and b.boot_id = h.boot_id
   where h.lease_until > now() and ${takesNone} and ${isParkable}
     and exists (select from tasks t where t.session_id = b.session_id and t.status = 'awaiting_user'
                 and t.paused_at < now() - make_interval(secs => ${restMs / 1000}))
   limit ${parkedAtOnce})
)${takeFound}`;

export function createIdleBrowsers({ pool }: Database) {
  return {
    /**
     * Browsers without a task, driver or viewer that were not used for this long; the longest unused first. At a host that takes
     * no more, as soon as they rest, and watched ones too: it is about to end. Only programs that are at work stay until
     * the host leaves. Each is given to one of the agents that ask.
     */
    async unused(idleMs: number): Promise<IdleBrowser[]> {
      const { rows } = await pool.query<IdleBrowser>({
        name: 'browsers.unused',
        text: unusedText,
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

    /**
     * Browsers of sessions whose task has waited for a person for longer than this, or waits at a host that takes no more. Each is
     * given to one of the agents.
     */
    async waitingTooLong(waitMs: number): Promise<IdleBrowser[]> {
      const { rows } = await pool.query<IdleBrowser>({
        name: 'browsers.forgotten',
        text: waitingText,
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
