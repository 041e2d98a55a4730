// What a task saw at each step: pictures, extracted data, downloads.

import { type Insertable, type Selectable, sql } from 'kysely';
import { decodeSeq, toSeqPage } from '../db/cursors.ts';
import type { Database, Tx } from '../db/db.ts';
import type { Observations } from '../db/generated.ts';

export type ObservationRow = Selectable<Observations>;
export type ObservationList = { limit: number; cursor?: string; maxBytes?: number };

const columns = [
  'id',
  'task_id',
  'step_id',
  'seq',
  'recorded_at',
  'kind',
  'url',
  'title',
  'summary',
  'data',
  'blob_key',
  'file_id',
  'content_type',
  'byte_len',
  'width',
  'height',
] as const satisfies readonly (keyof Observations)[];
const addText = `insert into observations (${columns.join(', ')}) values (${columns.map((_, i) => `$${i + 1}`).join(', ')})`;

export function createObservations({ db }: Database) {
  return {
    async add({ client }: Tx, observation: Insertable<Observations>): Promise<void> {
      const values = columns.map((column) => observation[column] ?? null);
      await client.query({ name: 'observations.add', text: addText, values });
    },

    /** Oldest first. With `maxBytes`, a page ends early if its pictures would take more than that. */
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
      // At least one row: otherwise the next page would be the same.
      return toSeqPage(rows, fitting < 0 ? limit : Math.min(limit, Math.max(1, fitting)));
    },

    /** Extracted data and downloads, oldest first. */
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

/** Worded as the partial index, so that it is used. A downloaded picture is a file, not an observation. */
export const pictureText = `content_type in ('image/jpeg', 'image/png') and file_id is null`;
const isPicture = sql.raw<boolean>(pictureText);
