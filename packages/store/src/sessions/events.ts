// The event log of each session: appended in the transaction that changes the state, numbered without gaps.

import { terminalTaskStates } from '@pilothouse/contract';
import type { Database, Tx } from '../db/db.ts';

export type NewEvent = {
  sessionId: string;
  taskId?: string | null;
  kind: string;
  data: Record<string, unknown>;
  /** Appended twice under one key, the event is logged once. */
  dedupKey?: string;
};
export type StoredEvent = {
  session_id: string;
  seq: number;
  task_id: string | null;
  kind: string;
  data: Record<string, unknown>;
  recorded_at: Date;
};
export type AppendedEvent = { seq: number; recordedAt: Date; isNew: boolean };

// One statement: the counter moves and the event is added, or neither. A known key leaves the counter alone, so there
// are no gaps. The time is taken after the counter's lock, so times never decrease within a session.
const appendText = `
with known as (
  select seq, recorded_at from events where session_id = $1 and dedup_key = $5
), next as (
  update session_seq
  set last_seq = last_seq + 1, last_event_at = date_trunc('milliseconds', clock_timestamp())
  where session_id = $1 and not exists (select from known)
  returning last_seq, last_event_at
), added as (
  insert into events (session_id, seq, task_id, kind, data, dedup_key, recorded_at)
  select $1, last_seq, $2, $3, $4, $5, last_event_at from next
  returning seq, recorded_at
)
select seq, recorded_at, true as is_new from added
union all select seq, recorded_at, false from known`;

const columns = 'session_id, seq, task_id, kind, data, recorded_at';

export function createEvents({ pool }: Database) {
  return {
    /**
     * Appends in the caller's transaction. Lock the session first (`sessions.lock`): then two appends under one key
     * follow each other instead of failing on the unique index.
     */
    async append({ client }: Tx, { sessionId, taskId = null, kind, data, dedupKey }: NewEvent): Promise<AppendedEvent> {
      const { rows } = await client.query<{ seq: number; recorded_at: Date; is_new: boolean }>({
        name: 'events.append',
        text: appendText,
        values: [sessionId, taskId, kind, JSON.stringify(data), dedupKey ?? null],
      });
      const row = rows[0];
      if (!row) throw new Error(`session ${sessionId} has no log`);
      return { seq: row.seq, recordedAt: row.recorded_at, isNew: row.is_new };
    },

    /** Events after `seq`, oldest first; of one task only, if it is given. */
    async after(sessionId: string, seq: number, { limit, taskId = null }: { limit: number; taskId?: string | null }) {
      const { rows } = await pool.query<StoredEvent>({
        name: 'events.after',
        text: `select ${columns} from events
               where session_id = $1 and seq > $2 and ($4::uuid is null or task_id = $4)
               order by seq limit $3`,
        values: [sessionId, seq, limit, taskId],
      });
      return rows;
    },

    /** Whether the end of a task was logged after `seq`. */
    async isEndedAfter(sessionId: string, seq: number, taskId: string): Promise<boolean> {
      const { rows } = await pool.query<{ is_ended: boolean }>({
        name: 'events.isEndedAfter',
        text: `select exists (select from events where session_id = $1 and seq > $2 and task_id = $3
                              and kind = 'status' and data->'status'->>'status' = any($4)) as is_ended`,
        values: [sessionId, seq, taskId, terminalTaskStates],
      });
      return rows[0]?.is_ended === true;
    },

    /** The last events of a session, oldest first. */
    async last(sessionId: string, limit: number) {
      const { rows } = await pool.query<StoredEvent>({
        name: 'events.last',
        text: `select ${columns} from events where session_id = $1 order by seq desc limit $2`,
        values: [sessionId, limit],
      });
      return rows.reverse();
    },

    /** The last events of one kind, for a restored view, oldest first. */
    async lastOfKind(sessionId: string, kind: 'overlay' | 'route', limit: number) {
      const { rows } = await pool.query<StoredEvent>({
        name: `events.lastOfKind.${kind}`,
        // Written out and not a parameter, so that the plan can use the partial index of these kinds.
        text: `select ${columns} from events where session_id = $1 and kind = '${kind}' order by seq desc limit $2`,
        values: [sessionId, limit],
      });
      return rows.reverse();
    },
  };
}

/** Creates the partitions of the coming days; returns how many were missing. */
export async function ensureEventPartitions({ pool }: Pick<Database, 'pool'>, daysAhead: number): Promise<number> {
  const { rows } = await pool.query<{ made: number }>(
    'select ensure_event_partitions(current_date - 1, current_date + $1::int) as made',
    [daysAhead],
  );
  return rows[0]?.made ?? 0;
}
