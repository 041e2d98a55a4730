import type { Insertable, Selectable } from 'kysely';
import type { Database, Tx } from './db.ts';
import type { Files } from './generated.ts';

export type FileRow = Selectable<Files>;

/** What tasks brought home and what they were given to send; the bytes are blobs, put before the row. */
export function createFiles({ db }: Database) {
  return {
    add: (tx: Tx, file: Insertable<Files>): Promise<FileRow> =>
      tx.db.insertInto('files').values(file).returningAll().executeTakeFirstOrThrow(),

    ofTask: (taskId: string, id: string): Promise<FileRow | undefined> =>
      db.selectFrom('files').selectAll().where('task_id', '=', taskId).where('id', '=', id).executeTakeFirst(),

    /** What an upload means by this name: what the task was given, or else what its session has, the newest of it. */
    named: (task: { id: string; session_id: string }, name: string): Promise<FileRow | undefined> =>
      db
        .selectFrom('files')
        .innerJoin('tasks', 'tasks.id', 'files.task_id')
        .selectAll('files')
        .where('tasks.session_id', '=', task.session_id)
        .where('files.name', '=', name)
        .orderBy(({ eb }) => eb('files.task_id', '=', task.id), 'desc')
        .orderBy('files.created_at', 'desc')
        .orderBy('files.id', 'desc')
        .executeTakeFirst(),

    /** All of a task, oldest first. */
    listOf: (taskId: string): Promise<FileRow[]> =>
      db.selectFrom('files').selectAll().where('task_id', '=', taskId).orderBy('created_at').orderBy('id').execute(),
  };
}
