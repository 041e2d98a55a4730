import type { Insertable, Selectable } from 'kysely';
import type { Database, Tx } from './db.ts';
import type { Observations } from './generated.ts';

export type ObservationRow = Selectable<Observations>;

/** What was seen at each step. */
export function createObservations({ db }: Database) {
  return {
    async add(tx: Tx, observation: Insertable<Observations>): Promise<void> {
      await tx.db.insertInto('observations').values(observation).execute();
    },

    /** The newest pictures of a task, oldest first. */
    async lastOf(taskId: string, limit: number): Promise<ObservationRow[]> {
      const rows = await db
        .selectFrom('observations')
        .selectAll()
        .where('task_id', '=', taskId)
        .where('blob_key', 'is not', null)
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      return rows.reverse();
    },

    ofTask: (taskId: string, id: string) =>
      db.selectFrom('observations').selectAll().where('task_id', '=', taskId).where('id', '=', id).executeTakeFirst(),
  };
}
