// Where the event logs of sessions begin and end.

import type { Database } from '../db/db.ts';

/** The number of the first event that is kept, or of the next one if none is; and of the last. */
export type EventBounds = { first: number; last: number };

export function createEventBounds({ pool }: Database) {
  return {
    /** The events that a session still has: a purge or their age removes them. */
    async keptOf(sessionId: string): Promise<EventBounds> {
      const { rows } = await pool.query<EventBounds>({
        name: 'events.keptOf',
        text: `select coalesce((select seq from events where session_id = $1 order by seq limit 1), last_seq + 1) as first,
                 last_seq as last
               from session_seq where session_id = $1`,
        values: [sessionId],
      });
      return rows[0] ?? { first: 1, last: 0 };
    },

    /** The same of several sessions as far as purges go, in one query that reads no events: for servers that ask often. */
    async boundsOf(sessionIds: string[]): Promise<Map<string, EventBounds>> {
      const { rows } = await pool.query<EventBounds & { session_id: string }>({
        name: 'events.boundsOf',
        text: 'select session_id, first_seq as first, last_seq as last from session_seq where session_id = any($1)',
        values: [sessionIds],
      });
      return new Map(rows.map(({ session_id, first, last }) => [session_id, { first, last }]));
    },
  };
}
