// Reads of the event log of each session.

import { terminalTaskStates } from '@pilothouse/contract';
import type { Database } from '../db/db.ts';

export type StoredEvent = {
  session_id: string;
  seq: number;
  task_id: string | null;
  kind: string;
  data: Record<string, unknown>;
  recorded_at: Date;
};
const columns = 'session_id, seq, task_id, kind, data, recorded_at';

export function createEvents({ pool }: Database) {
  return {
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
