// The pointer of each session: the route that its front end shows, which is not where the browser is.

import type { BrowserRoute } from '@pilothouse/contract';
import type { Database, Tx } from '../db/db.ts';
import type { Append } from '../sessions/change.ts';

export type PointerRow = { route: BrowserRoute; updated_at: Date; seq: number };

export function createPointers({ pool }: Database) {
  return {
    async of(sessionId: string): Promise<PointerRow | undefined> {
      const { rows } = await pool.query<PointerRow>({
        name: 'pointers.of',
        text: 'select route, updated_at, seq from pointers where session_id = $1',
        values: [sessionId],
      });
      return rows[0];
    },

    /** Inside `store.change`. The same route again is neither written nor announced again. */
    async move({ client }: Tx, append: Append, sessionId: string, route: BrowserRoute): Promise<PointerRow> {
      const { rows: known } = await client.query<PointerRow>(
        'select route, updated_at, seq from pointers where session_id = $1 and route = $2',
        [sessionId, JSON.stringify(route)],
      );
      if (known[0]) return known[0];
      const { seq, recordedAt } = await append({ kind: 'route', data: { route, pages: [route] } });
      await client.query(
        `insert into pointers (session_id, route, updated_at, seq) values ($1, $2, $3, $4)
         on conflict (session_id) do update
           set route = excluded.route, updated_at = excluded.updated_at, seq = excluded.seq`,
        [sessionId, JSON.stringify(route), recordedAt, seq],
      );
      return { route, updated_at: recordedAt, seq };
    },
  };
}
