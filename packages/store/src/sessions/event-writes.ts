// Appends to the event log of a session, in the transaction that changes the state. Events are numbered without gaps: the
// counter moves with them, or neither does.

import type { Json, LogLevel } from '@pilothouse/contract';
import type { Tx } from '../db/db.ts';

export type NewEvent = {
  sessionId: string;
  taskId?: string | null;
  kind: string;
  data: Record<string, unknown>;
  /** Appended twice under one key, the event is logged once. */
  dedupKey?: string;
};
export type AppendedEvent = { seq: number; recordedAt: Date; isNew: boolean };

/** A line of a task's log, at the position of its event. */
export type NewLine = {
  task_id: string;
  seq: number;
  level: LogLevel;
  message: string;
  step_id: string | null;
  data: Json | null;
};
/** Events and lines of one change, numbered by it. */
export type EventBatch = {
  events: { seq: number; task_id: string | null; kind: string; data: Record<string, unknown> }[];
  lines: NewLine[];
  lastSeq: number;
  recordedAt: Date;
};

// Every statement moves the counter with the events, or neither. This one numbers its event itself: a known key leaves
// the counter alone, so there are no gaps.
const appendOnceText = `
with known as (
  select seq, recorded_at from events where session_id = $1 and dedup_key = $5
), next as (
  update session_seq set last_seq = last_seq + 1, last_event_at = $6
  where session_id = $1 and not exists (select from known)
  returning last_seq, last_event_at
), added as (
  insert into events (session_id, seq, task_id, kind, data, dedup_key, recorded_at)
  select $1, last_seq, $2, $3, $4, $5, last_event_at from next
  returning seq, recorded_at
)
select seq, recorded_at, true as is_new from added
union all select seq, recorded_at, false from known`;

const appendAllText = `
with counted as (
  update session_seq set last_seq = $2, last_event_at = $3 where session_id = $1
), lines as (
  insert into logs (task_id, seq, recorded_at, level, message, step_id, data)
  select task_id, seq, $3, level, message, step_id, data
  from jsonb_to_recordset($5)
    as l(task_id uuid, seq bigint, level log_level, message text, step_id text, data jsonb)
)
insert into events (session_id, seq, task_id, kind, data, recorded_at)
select $1, seq, task_id, kind, data, $3
from jsonb_to_recordset($4) as e(seq bigint, task_id uuid, kind text, data jsonb)`;

/** Appends the events of one change. The caller has locked the session, and numbers on from its last event. */
export async function appendAll(
  { client }: Tx,
  sessionId: string,
  { events, lines, lastSeq, recordedAt }: EventBatch,
): Promise<void> {
  await client.query({
    name: 'events.appendAll',
    text: appendAllText,
    values: [sessionId, lastSeq, recordedAt, JSON.stringify(events), JSON.stringify(lines)],
  });
}

/** Appends one event, unless one was appended under the same key. The caller has locked the session. */
export async function appendOnce(
  { client }: Tx,
  event: NewEvent & { dedupKey: string },
  recordedAt: Date,
): Promise<AppendedEvent> {
  const { sessionId, taskId = null, kind, data, dedupKey } = event;
  const { rows } = await client.query<{ seq: number; recorded_at: Date; is_new: boolean }>({
    name: 'events.appendOnce',
    text: appendOnceText,
    values: [sessionId, taskId, kind, JSON.stringify(data), dedupKey, recordedAt],
  });
  const row = rows[0];
  if (!row) throw new Error(`session ${sessionId} has no log`);
  return { seq: row.seq, recordedAt: row.recorded_at, isNew: row.is_new };
}
