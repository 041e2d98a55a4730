// Where the event logs of sessions begin and end.

import type { Database } from '../db/db.ts';

export function createEventBounds({ pool }: Database) {
  return {
    /** The numbers of the first event that is still kept and of the last; without a first, none is kept. */
    async bounds(sessionId: string): Promise<{ first: number | null; last: number }> {
      const { rows } = await pool.query<{ first: number | null; last: number }>({
        name: 'events.bounds',
        text: `select (select seq from events where session_id = $1 order by seq limit 1) as first, last_seq as last
               from session_seq where session_id = $1`,
        values: [sessionId],
      });
      return rows[0] ?? { first: null, last: 0 };
    },

    /** The number of the last event of each of these sessions, in one query. */
    async lastSeqs(sessionIds: string[]): Promise<Map<string, number>> {
      const { rows } = await pool.query<{ session_id: string; last_seq: number }>({
        name: 'events.lastSeqs',
        text: 'select session_id, last_seq from session_seq where session_id = any($1)',
        values: [sessionIds],
      });
      return new Map(rows.map(({ session_id, last_seq }) => [session_id, last_seq]));
    },
  };
}
