// A session takes its turn in the queue for browsers. Every decision is made by rows, in the caller's transaction.

import type { Tx } from '../db/db.ts';
import { isAt, queue } from './queue-order.ts';

type Host = { id: string; boot_id: string };
type Wait = { since: Date; user_id: string; for_task: boolean };

/** Advisory lock, held while a session takes its turn and others wait; used for nothing else in this database. */
const turnLock = 7_464_103;

/**
 * Takes the session's turn for a place at this host; undefined if it is another session's turn, or the host is full.
 * Returns since when the session waited. Assign the browser in the same transaction, which has locked the session.
 * With the execution of the task that waited, the wait is not counted as time of the task; an execution that has lost
 * its task gets no turn.
 */
export async function takeTurn(
  tx: Tx,
  sessionId: string,
  host: Host,
  executionId?: string,
): Promise<{ since: Date | null } | undefined> {
  if (executionId !== undefined && !(await holdsTask(tx, sessionId, executionId))) return undefined;
  if (!(await isTurnOf(tx, sessionId))) return undefined;
  if (!(await hasRoom(tx, sessionId, host))) return undefined;
  const wait = await leaveQueue(tx, sessionId);
  if (!wait) return { since: null };
  await creditTask(tx, sessionId, wait, executionId);
  // A person has the browser that the task waited for.
  if (wait.for_task && executionId === undefined) await wakeTask(tx, sessionId);
  return { since: wait.since };
}

async function holdsTask({ client }: Tx, sessionId: string, executionId: string): Promise<boolean> {
  const { rows } = await client.query({
    name: 'browserTurns.holdsTask',
    text: `select from tasks where session_id = $1 and execution_id = $2 and status = 'running'`,
    values: [sessionId, executionId],
  });
  return rows.length > 0;
}

async function isTurnOf({ client }: Tx, sessionId: string): Promise<boolean> {
  const others = await client.query({
    name: 'browserTurns.others',
    text: `select from browser_waits w where w.until > clock_timestamp() and w.session_id <> $1 limit 1`,
    values: [sessionId],
  });
  if (others.rows.length === 0) return true;
  // One session at a time: each sees what the one before it took.
  await client.query('select pg_advisory_xact_lock($1)', [turnLock]);
  const mine = await client.query({
    name: 'browserTurns.isDue',
    text: `with ${queue} select from queue, room where place <= free and session_id = $1`,
    values: [sessionId],
  });
  return mine.rows.length > 0;
}

/**
 * Browsers that were assigned to the host since its last heartbeat count, also for the next session that asks. A
 * session whose browser is lost does not wait for its own place.
 */
async function hasRoom({ client }: Tx, sessionId: string, host: Host): Promise<boolean> {
  const { rows } = await client.query<{ has_room: boolean }>({
    name: 'browserTurns.count',
    text: `update hosts h set session_count = greatest(h.session_count, at.count)
               from (select count(*) as count from browsers b
                     where b.host_id = $1 and b.boot_id = $2 and b.session_id <> $3 and ${isAt}) as at
               where h.id = $1 and h.boot_id = $2 and h.lease_until > now()
               returning h.session_count - (select count(*) from browsers own where own.session_id = $3
                 and own.host_id = h.id and own.boot_id = h.boot_id) < h.capacity as has_room`,
    values: [host.id, host.boot_id, sessionId],
  });
  return rows[0]?.has_room === true;
}

/** The other sessions of this user wait from now on: the next turn is another user's. */
async function leaveQueue({ client }: Tx, sessionId: string): Promise<Wait | undefined> {
  const { rows } = await client.query<Wait>({
    name: 'browserTurns.leave',
    text: 'delete from browser_waits where session_id = $1 returning since, user_id, for_task',
    values: [sessionId],
  });
  const [left] = rows;
  if (!left) return undefined;
  await client.query({
    name: 'browserTurns.served',
    text: 'update browser_waits set user_since = clock_timestamp() where user_id = $1',
    values: [left.user_id],
  });
  return left;
}

/** A task's time limit is for its steps, not for its waits. */
async function creditTask({ client }: Tx, sessionId: string, wait: Wait, executionId?: string): Promise<void> {
  await client.query({
    name: 'browserTurns.uncount',
    text: `update tasks set paused_ms = paused_ms + greatest(0, round(
                 1000 * extract(epoch from coalesce(paused_at, clock_timestamp()) - greatest($2, started_at))))::bigint
               where session_id = $1 and status in ('running', 'takeover') and program_id is null
                 and (execution_id = $3 or $4)`,
    values: [sessionId, wait.since, executionId ?? null, wait.for_task],
  });
}

async function wakeTask(tx: Tx, sessionId: string): Promise<void> {
  await tx.client.query({
    name: 'browserTurns.wakeTask',
    text: `update tasks set run_due_at = least(run_due_at, clock_timestamp())
           where session_id = $1 and status = 'running' and program_id is null`,
    values: [sessionId],
  });
  tx.hasQueued = true;
}
