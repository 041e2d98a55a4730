// Removes files in two steps: first they are no longer shown (`leaving`), then their bytes are removed and they no
// longer count.

import { countRows } from '../db/count-rows.ts';
import type { Database } from '../db/db.ts';
import type { FileRow } from './files.ts';

export function createFileRemoval({ pool, transaction }: Database) {
  return {
    /** Stops showing files of ended tasks that are older than this; returns how many. */
    async leaveAged(days: number, limit: number): Promise<number> {
      return countRows(pool, {
        name: 'files.leaveAged',
        text: `update files set retention = 'leaving' where id in (
                 select f.id from files f join tasks t on t.id = f.task_id
                 where f.retention = 'kept' and f.created_at < now() - make_interval(days => $1)
                   and t.finished_at is not null
                 order by f.created_at limit $2 for update of f skip locked)`,
        values: [days, limit],
      });
    },

    /**
     * Removes the bytes of files of one user that are no longer shown, after which they no longer count; returns how many.
     * One user at a time: each file that goes locks the row of its user.
     */
    removeLeaving: (limit: number, remove: (keys: string[]) => Promise<void>): Promise<number> =>
      transaction(async ({ client }) => {
        const { rows } = await client.query<Pick<FileRow, 'id' | 'blob_key'>>({
          name: 'files.leaving',
          text: `with free as materialized (
                   select id, user_id, blob_key from files where retention = 'leaving'
                   order by user_id limit $1 for update skip locked
                 )
                 select id, blob_key from free where user_id = (select user_id from free order by user_id limit 1)`,
          values: [limit],
        });
        if (rows.length === 0) return 0;
        await remove(rows.map(({ blob_key }) => blob_key));
        await client.query({
          name: 'files.forget',
          text: `update files set retention = 'gone' where id = any($1) and retention = 'leaving'`,
          values: [rows.map(({ id }) => id)],
        });
        return rows.length;
      }),

    /** For how many seconds the oldest file has been older than this; 0 if none is. Files of open tasks count too. */
    async overdueSecs(days: number): Promise<number> {
      const { rows } = await pool.query<{ secs: number }>({
        name: 'files.overdue',
        text: `select greatest(0, extract(epoch from now() - make_interval(days => $1) - created_at))::float8 as secs
               from files where retention = 'kept' order by created_at limit 1`,
        values: [days],
      });
      return rows[0]?.secs ?? 0;
    },

    /** After the blobs of a purged session are removed: its files no longer count. */
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
