// Removes old events. A partition holds the sessions that began on one day: it is dropped as a whole once none of them has
// had an event for long. Until then its old events are removed session by session.

import type { Database } from '../db/db.ts';

type Partition = { name: string; day: string; is_busy: boolean };
/** Walks on from this session. */
export type TrimPosition = { name: string; after: string };

/** All statements on events wait behind one that waits for this lock: better to try again later. */
const lockMs = 200;
const sessionsAtOnce = 200;
const maxRows = 5000;
const firstId = '00000000-0000-0000-0000-000000000000';

const busyText = (day: string, days: string) => `exists (
  select from sessions s join session_seq q on q.session_id = s.id
  where s.id >= first_uuid_of(${day}) and s.id < first_uuid_of(${day} + 1)
    and q.last_event_at >= now() - make_interval(days => ${days}))`;

const dueText = `
with found as (
  select c.relname as name, to_date(right(c.relname, 8), 'YYYYMMDD') as day
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'events'::regclass and c.relname ~ '^events_[0-9]{8}$'
)
select name, day::text, ${busyText('day', '$1')} as is_busy from found
where day < (now() at time zone 'utc')::date - $1 order by day`;

export function createOldEvents(database: Database) {
  const { pool } = database;
  return {
    /** Drops every partition whose sessions had no event in the last `days`; returns their names. */
    async dropPartitions(days: number): Promise<string[]> {
      const dropped: string[] = [];
      for (const partition of await duePartitions(database, days))
        if (!partition.is_busy && (await drop(database, partition, days))) dropped.push(partition.name);
      return dropped;
    },

    /**
     * Removes old events of the next sessions in partitions that cannot be dropped. Returns where to go on, and
     * undefined at the end.
     */
    async trimSessions(
      days: number,
      position?: TrimPosition,
    ): Promise<{ removed: number; position: TrimPosition } | undefined> {
      const busy = (await duePartitions(database, days)).filter(
        ({ name, is_busy }) => is_busy && name >= (position?.name ?? ''),
      );
      for (const { name, day } of busy) {
        const after = name === position?.name ? position.after : firstId;
        const { rows } = await pool.query<{ id: string }>({
          name: 'oldEvents.sessions',
          text: `select id from sessions where id > $1 and id >= first_uuid_of($2::date) and id < first_uuid_of($2::date + 1)
                 order by id limit ${sessionsAtOnce}`,
          values: [after, day],
        });
        const last = rows.at(-1);
        if (!last) continue;
        const ids = rows.map(({ id }) => id);
        return { removed: await trim(database, ids, days), position: { name, after: last.id } };
      }
      return undefined;
    },

    /** Removes old events of sessions that went on after the partition of their day was dropped; returns how many. */
    async trimRest(days: number): Promise<number> {
      const { rows } = await pool.query<{ session_id: string }>({
        name: 'oldEvents.rest',
        text: `select distinct session_id from (
                 select session_id from events_default where recorded_at < now() - make_interval(days => $1) limit $2
               ) as old`,
        values: [days, maxRows],
      });
      return rows.length > 0
        ? trim(
            database,
            rows.map(({ session_id }) => session_id),
            days,
          )
        : 0;
    },

    /** For how many seconds the oldest partition that can be dropped has been due; 0 if there is none. */
    async overdueSecs(days: number): Promise<number> {
      const { rows } = await pool.query<{ secs: number }>({
        name: 'oldEvents.overdue',
        text: `select extract(epoch from now() - make_interval(days => $1 + 1) - (day::date::timestamp at time zone 'utc'))::float8
                 as secs
               from (${dueText}) as due where not is_busy order by day limit 1`,
        values: [days],
      });
      return rows[0]?.secs ?? 0;
    },
  };
}

async function duePartitions({ pool }: Database, days: number): Promise<Partition[]> {
  const { rows } = await pool.query<Partition>({ name: 'oldEvents.due', text: dueText, values: [days] });
  return rows;
}

/** False if a session of it has gone on, or the lock was not to be had. */
async function drop({ transaction }: Database, { name, day }: Partition, days: number): Promise<boolean> {
  try {
    return await transaction(async ({ client }) => {
      await client.query(`set local lock_timeout = '${lockMs}ms'`);
      // Found by its pattern in the catalogue: no text of a user is in it.
      await client.query(`lock table ${name} in access exclusive mode`);
      const { rows } = await client.query<{ is_busy: boolean }>(
        `select ${busyText('$1::date', '$2::int')} as is_busy`,
        [day, days],
      );
      if (rows[0]?.is_busy !== false) return false;
      await client.query(`drop table ${name}`);
      return true;
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01')) return false;
    throw error;
  }
}

/** Removes old events of these sessions; returns how many. */
async function trim({ pool }: Database, sessionIds: string[], days: number): Promise<number> {
  let removed = 0;
  for (let count = maxRows; count === maxRows; removed += count) {
    const { rowCount } = await pool.query({
      name: 'oldEvents.trim',
      text: `with old as materialized (
               select session_id, seq from events
               where session_id = any($1) and recorded_at < now() - make_interval(days => $2)
               limit ${maxRows} for update skip locked
             )
             delete from events e using old where e.session_id = old.session_id and e.seq = old.seq`,
      values: [sessionIds, days],
    });
    count = rowCount ?? 0;
  }
  return removed;
}
