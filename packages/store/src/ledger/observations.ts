import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database, Tx } from './db.ts';
import type { Observations } from './generated.ts';
import { decodeSeq, toSeqPage } from './pages.ts';

export type ObservationRow = Selectable<Observations>;
export type ObservationList = { limit: number; cursor?: string; maxBytes?: number };

/** What was seen at each step. */
export function createObservations({ db }: Database) {
  return {
    async add(tx: Tx, observation: Insertable<Observations>): Promise<void> {
      await tx.db.insertInto('observations').values(observation).execute();
    },

    /** What a task saw, oldest first. With `maxBytes`, a page that would hold more than that in pictures ends early. */
    async listOf(taskId: string, { limit, cursor, maxBytes = Number.POSITIVE_INFINITY }: ObservationList) {
      const rows = await db
        .selectFrom('observations')
        .selectAll()
        .where('task_id', '=', taskId)
        .where('seq', '>', decodeSeq(cursor))
        .orderBy('seq')
        .limit(limit + 1)
        .execute();
      let bytes = 0;
      const fitting = rows.findIndex((row) => {
        bytes += row.file_id ? 0 : (row.byte_len ?? 0);
        return bytes > maxBytes;
      });
      // One at least: a page must lead on.
      return toSeqPage(rows, fitting < 0 ? limit : Math.min(limit, Math.max(1, fitting)));
    },

    /** What a task read and what it brought home, oldest first. */
    findingsOf: (taskId: string): Promise<ObservationRow[]> =>
      db
        .selectFrom('observations')
        .selectAll()
        .where('task_id', '=', taskId)
        .where('kind', 'in', ['extract', 'download'])
        .orderBy('seq')
        .execute(),

    /** The newest picture of a task. */
    lastPictureOf: (taskId: string): Promise<ObservationRow | undefined> =>
      db
        .selectFrom('observations')
        .selectAll()
        .where('task_id', '=', taskId)
        .where(isPicture)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst(),

    ofTask: (taskId: string, id: string) =>
      db.selectFrom('observations').selectAll().where('task_id', '=', taskId).where('id', '=', id).executeTakeFirst(),
  };
}

/** In the words of the index that holds only these. A downloaded picture is a file, not something the task saw. */
export const pictureText = `content_type in ('image/jpeg', 'image/png') and file_id is null`;
const isPicture = sql.raw<boolean>(pictureText);
