import type { Insertable, Selectable } from 'kysely';
import type { Database, Tx } from './db.ts';
import type { Frames } from './generated.ts';

export type FrameRow = Selectable<Frames>;

/** The newest picture of each session: one slot, overwritten. */
export function createFrames({ db }: Database) {
  return {
    async put(tx: Tx, frame: Insertable<Frames>): Promise<void> {
      const { session_id, ...newer } = frame;
      await tx.db
        .insertInto('frames')
        .values(frame)
        .onConflict((conflict) =>
          conflict.column('session_id').doUpdateSet(newer).whereRef('frames.seq', '<', 'excluded.seq'),
        )
        .execute();
    },

    of: (sessionId: string): Promise<FrameRow | undefined> =>
      db.selectFrom('frames').selectAll().where('session_id', '=', sessionId).executeTakeFirst(),
  };
}
