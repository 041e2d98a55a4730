// Removes files in two steps: first they are no longer shown (`leaving`), then their bytes are removed and they no
// longer count.

import type { Database } from '../db/db.ts';
import type { FileRow } from './files.ts';

export function createFileRemoval({ db, pool }: Database) {
  return {
    /** Stops showing files of ended tasks that are older than this; returns how many. */
    async leaveAged(days: number, limit: number): Promise<number> {
      const { rowCount } = await pool.query({
        name: 'files.leaveAged',
        text: `update files set retention = 'leaving' where id in (
                 select f.id from files f join tasks t on t.id = f.task_id
                 where f.retention = 'kept' and f.created_at < now() - make_interval(days => $1)
                   and t.finished_at is not null
                 order by f.created_at limit $2 for update of f skip locked)`,
        values: [days, limit],
      });
      return rowCount ?? 0;
    },

    /** Files that are no longer shown, and whose bytes may still be stored. */
    leaving: (limit: number): Promise<Pick<FileRow, 'id' | 'blob_key'>[]> =>
      db
        .selectFrom('files')
        .select(['id', 'blob_key'])
        .where('retention', '=', 'leaving')
        .orderBy('id')
        .limit(limit)
        .execute(),

    /** After its bytes are removed: it no longer counts. One file at a time, since each locks the row of its user. */
    async forget(id: string): Promise<void> {
      await db
        .updateTable('files')
        .set({ retention: 'gone' })
        .where('id', '=', id)
        .where('retention', '=', 'leaving')
        .execute();
    },

    /** The same for all files of a session that was purged. */
    async forgetOf(sessionId: string): Promise<void> {
      await pool.query({
        name: 'files.forgetOf',
        text: `update files f set retention = 'gone' from tasks t
               where t.id = f.task_id and t.session_id = $1 and f.retention = 'leaving'`,
        values: [sessionId],
      });
    },
  };
}
