// The files of tasks: downloaded by them, or given to them for uploads. The bytes are blobs, stored before the row.

import type { Selectable } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import type { Files } from '../db/generated.ts';

export type FileRow = Selectable<Files>;
export type NewFile = Pick<FileRow, 'id' | 'task_id' | 'name' | 'content_type' | 'byte_len' | 'blob_key'>;

export function createFiles({ db, pool }: Database) {
  return {
    /**
     * Undefined if the files of the user who created the task would take more than this. It locks the row of the user
     * until the transaction ends: lock the session before.
     */
    async add({ client }: Tx, file: NewFile, maxBytesPerUser: number): Promise<FileRow | undefined> {
      const { rows } = await client.query<FileRow>({
        name: 'files.add',
        text: `with payer as (
                 select u.id from users u
                 where u.id = (select created_by from tasks where id = $2)
                   and u.file_bytes + counted_file_bytes($5) <= $7
                 for no key update
               )
               insert into files (id, task_id, name, content_type, byte_len, blob_key, user_id)
               select $1, $2, $3, $4, $5, $6, payer.id from payer
               returning *`,
        values: [file.id, file.task_id, file.name, file.content_type, file.byte_len, file.blob_key, maxBytesPerUser],
      });
      return rows[0];
    },

    /** Whether files of these sizes would fit now. Only `add` decides; this saves a useless transfer. */
    async wouldFit(userId: string, byteLens: readonly number[], maxBytesPerUser: number): Promise<boolean> {
      const { rows } = await pool.query({
        name: 'files.wouldFit',
        text: `select from users where id = $1 and file_bytes
                 + (select sum(counted_file_bytes(added)) from unnest($2::bigint[]) as added) <= $3`,
        values: [userId, byteLens, maxBytesPerUser],
      });
      return rows.length > 0;
    },

    ofTask: (taskId: string, id: string): Promise<FileRow | undefined> =>
      db.selectFrom('files').selectAll().where('task_id', '=', taskId).where('id', '=', id).executeTakeFirst(),

    /** The file that an upload means by this name: a file of the task, or else the newest of its session. */
    named: (task: { id: string; session_id: string }, name: string): Promise<FileRow | undefined> =>
      db
        .selectFrom('files')
        .innerJoin('tasks', 'tasks.id', 'files.task_id')
        .selectAll('files')
        .where('tasks.session_id', '=', task.session_id)
        .where('files.name', '=', name)
        .where('files.retention', '=', 'kept')
        .orderBy(({ eb }) => eb('files.task_id', '=', task.id), 'desc')
        .orderBy('files.created_at', 'desc')
        .orderBy('files.id', 'desc')
        .executeTakeFirst(),

    /** Oldest first. */
    listOf: (taskId: string): Promise<FileRow[]> =>
      db.selectFrom('files').selectAll().where('task_id', '=', taskId).orderBy('created_at').orderBy('id').execute(),
  };
}
