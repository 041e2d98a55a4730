// Which blobs of a session a row points to. A blob is stored before its row: one without a row is from a write that failed.

import type { Database } from '../db/db.ts';

export function createKnownBlobs({ pool }: Database) {
  return {
    /** Of these keys of one session, those that a row points to. */
    async of(sessionId: string, keys: readonly string[]): Promise<Set<string>> {
      const { rows } = await pool.query<{ blob_key: string }>({
        name: 'knownBlobs.of',
        text: `select blob_key from recorded_frames where session_id = $1 and blob_key = any($2)
               union all select blob_key from frames where session_id = $1 and blob_key = any($2)
               union all
               select o.blob_key from observations o join tasks t on t.id = o.task_id
               where t.session_id = $1 and o.blob_key = any($2)
               union all
               select f.blob_key from files f join tasks t on t.id = f.task_id
               where t.session_id = $1 and f.retention <> 'gone' and f.blob_key = any($2)
               union all
               select d.picture_key from decisions d join tasks t on t.id = d.task_id
               where t.session_id = $1 and d.picture_key = any($2)
               union all
               select k.key from model_calls c join tasks t on t.id = c.task_id
               cross join lateral (values ('sessions/' || t.session_id || '/calls/' || c.task_id || '/' || c.number
                 || '.json.gz')) as k (key)
               where t.session_id = $1 and k.key = any($2)`,
        values: [sessionId, keys],
      });
      return new Set(rows.map(({ blob_key }) => blob_key));
    },
  };
}
