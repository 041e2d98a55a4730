// Browsers that their sessions can do without while other users wait, and which of them are closed first.

import type { Database, Tx } from '../db/db.ts';
import { type HeldBrowser, isHostLive, reportedSessions } from './host-hold.ts';
import { isAt, isTakeoverOpen, queue, shares } from './queue-order.ts';

/** A step that only waits gives its browser away if it waits longer than this; so does a task that asks a person. */
const longWaitSecs = 30;

/** The task needs no browser for a while: it sleeps, or asks a person and no condition of the page would answer. */
const isAway = `(
  (t.status = 'running' and t.asleep_until > clock_timestamp() + interval '${longWaitSecs} seconds')
  or (t.status = 'awaiting_user' and t.paused_at < clock_timestamp() - interval '${longWaitSecs} seconds'
      and coalesce(t.question->'until', 'null') = 'null' and t.plan->'steps'->(t.current_step - 1)->>'action' = 'ask'))`;

// Begins with the sessions that rest, and reads what decides their order once, and not for every browser.
const spareText = `
with ${shares},
driven as materialized (select session_id from takeovers where status <> 'ended'),
away as materialized (
  select t.session_id from tasks t where t.status = 'running' and t.asleep_until is not null and ${isAway}
  union all select t.session_id from tasks t where t.status = 'awaiting_user' and ${isAway}),
over as materialized (select u.user_id from users_at u, fair where u.count > fair.share),
watched as materialized (
  select s.session_id from hosts h cross join lateral ${reportedSessions}
  where h.lease_until > now() and s.is_watched),
resting as materialized (
  select id, owner_id, status, updated_at from sessions
  where browser <> 'cold' and status in ('idle', 'closed')
  union all select s.id, s.owner_id, s.status, s.updated_at from away cross join lateral (
    select * from sessions where id = away.session_id and browser <> 'cold' and status = 'active' offset 0) as s)
select b.session_id as "sessionId", b.host_id as "hostId", b.epoch
from resting r
cross join lateral (select * from browsers where session_id = r.id offset 0) as b
where ${isAt} and ${isHostLive} and b.session_id not in (select session_id from driven)
order by r.owner_id in (select user_id from over) desc, r.status = 'active',
  r.id in (select session_id from watched), r.updated_at
limit $1`;

export function createSpareBrowsers({ pool }: Database) {
  return {
    isOverShare: (sessionId: string) => isOverShare(pool, sessionId),

    /**
     * Open browsers that are not needed now: of idle sessions, and of tasks in a long wait. Browsers of users who hold
     * more than their share come first; those with viewers come late.
     */
    async spare(limit: number): Promise<HeldBrowser[]> {
      const { rows } = await pool.query<HeldBrowser>({
        name: 'browserTurns.spare',
        text: spareText,
        values: [limit],
      });
      return rows;
    },

    /**
     * Takes a spare browser away from its host under a new epoch, which it returns, unless the session has begun to use
     * it. The place counts as taken until the host has closed the browser: then call `freed`.
     */
    async park({ client }: Tx, { sessionId, hostId, epoch }: HeldBrowser): Promise<number | undefined> {
      const { rows } = await client.query<{ epoch: number }>({
        name: 'browserTurns.park',
        text: `update browsers b set host_id = null, boot_id = null, epoch = b.epoch + 1
               from sessions s
               where b.session_id = $1 and b.host_id = $2 and b.epoch = $3 and s.id = b.session_id
                 and not ${isTakeoverOpen('b.session_id')}
                 and case when s.status in ('idle', 'closed')
                   then not exists (select from tasks t
                                    where t.session_id = $1 and t.finished_at is null and t.program_id is null)
                   else s.status = 'active'
                     and exists (select from tasks t where t.session_id = $1 and t.finished_at is null and ${isAway})
                     and not exists (select from tasks t where t.session_id = $1
                       and t.status in ('running', 'awaiting_user', 'takeover') and t.program_id is null and not ${isAway})
                   end
               returning b.epoch`,
        values: [sessionId, hostId, epoch],
      });
      return rows[0]?.epoch;
    },

    /** The host has closed a parked browser. */
    async freed(hostId: string): Promise<void> {
      await pool.query({
        name: 'browserTurns.freed',
        text: 'update hosts set session_count = greatest(0, session_count - 1) where id = $1',
        values: [hostId],
      });
    },

    /** The present step of this task only waits, for this long from now. */
    async sleep({ client }: Tx, taskId: string, ms: number): Promise<void> {
      await client.query({
        name: 'browserTurns.sleep',
        text: `update tasks set asleep_until = clock_timestamp() + make_interval(secs => $2 / 1000.0) where id = $1`,
        values: [taskId, ms],
      });
    },
  };
}

/**
 * Whether the user of this session holds more than their share while another user waits. Never true for a session
 * that a person drives, or has driven during its present task: what they did in the page would be lost.
 */
async function isOverShare(pool: Database['pool'], sessionId: string): Promise<boolean> {
  const waits = await pool.query({
    name: 'browserTurns.any',
    text: 'select from browser_waits w where w.until > clock_timestamp() limit 1',
  });
  if (waits.rows.length === 0) return false;
  const { rows } = await pool.query({
    name: 'browserTurns.isOverShare',
    text: `with ${queue}
               select from sessions s join users_at u on u.user_id = s.owner_id, room
               where s.id = $1 and u.count > room.share and not ${isTakeoverOpen('s.id')}
                 and not exists (select from takeovers w join tasks t on t.id = w.task_id
                                 where w.session_id = s.id and t.finished_at is null)
                 and exists (select from queue q where q.user_id <> s.owner_id and not q.is_over and q.place > room.free)`,
    values: [sessionId],
  });
  return rows.length > 0;
}
