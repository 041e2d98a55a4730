// The rows of sessions: created, locked and changed. What a caller may see of them is in session-reads.ts.

import { type BrowserState, type SessionMove, sessionMoves } from '@pilothouse/contract';
import type { Caller } from '../accounts/users.ts';
import { now } from '../db/clock.ts';
import type { Database, Tx } from '../db/db.ts';
import { newId } from '../db/ids.ts';

export type NewSession = {
  id?: string;
  title?: string | null;
  profileId?: string | null;
  profileLabel?: string | null;
  viewport: { width: number; height: number };
  recording?: boolean;
};

/** Its log ends here: the next event has the next number, and a time that is not before `at`. */
export type LockedSession = { lastSeq: number; at: Date; isLeftBehind: boolean };

// The row of the log is locked too. A transaction that waited for it reads it and the clock again after the lock: so numbers have no gaps,
// and times never decrease. Lists are sorted by `updated_at`, which may lag behind the last event by ten seconds.
const lockText = `
select q.last_seq as "lastSeq", s.updated_at < clock_timestamp() - interval '10 s' as "isLeftBehind",
  greatest(q.last_event_at, date_trunc('milliseconds', clock_timestamp())) as at
from sessions s join session_seq q on q.session_id = s.id
where s.id = $1 for update`;

export function createSessions({ db }: Database) {
  return {
    async create(tx: Tx, owner: Caller, session: NewSession) {
      const { id = newId(), title, profileId, profileLabel, viewport, recording = false } = session;
      const row = await tx.db
        .insertInto('sessions')
        .values({
          id,
          owner_id: owner.id,
          title: title ?? null,
          profile_id: profileId ?? null,
          profile_label: profileLabel ?? null,
          viewport_width: viewport.width,
          viewport_height: viewport.height,
          recording,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await tx.db.insertInto('session_seq').values({ session_id: row.id }).execute();
      return { ...row, last_event_at: null, last_seq: 0, shared: false };
    },

    /** Read in the transaction that has locked its row. */
    locked: (tx: Tx, id: string) => tx.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst(),

    /** For agents, which do not act on behalf of a caller. */
    byId: (id: string) => db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst(),

    /** Moves the session if its state allows it; otherwise changes nothing and returns undefined. */
    move: (tx: Tx, id: string, move: SessionMove) =>
      tx.db
        .updateTable('sessions')
        .set({ status: sessionMoves[move].to, updated_at: now })
        .where('id', '=', id)
        .where('status', 'in', [...sessionMoves[move].from])
        .returningAll()
        .executeTakeFirst(),

    /** Undefined if it has this title already. */
    rename: (tx: Tx, id: string, title: string | null) =>
      tx.db
        .updateTable('sessions')
        .set({ title, updated_at: now })
        .where('id', '=', id)
        .where('title', 'is distinct from', title)
        .returningAll()
        .executeTakeFirst(),

    /** Undefined if the row says so already. */
    setBrowser: (tx: Tx, id: string, browser: BrowserState) =>
      tx.db
        .updateTable('sessions')
        .set({ browser })
        .where('id', '=', id)
        .where('browser', '<>', browser)
        .returningAll()
        .executeTakeFirst(),

    /**
     * Locks the session until the transaction ends. Every change of its state and every append to its log begins here.
     * Undefined if there is no such session.
     */
    async lock({ client }: Tx, id: string): Promise<LockedSession | undefined> {
      const { rows } = await client.query<LockedSession>({ name: 'sessions.lock', text: lockText, values: [id] });
      return rows[0];
    },

    /** Something happens in it: it moves to the front of lists. */
    async touch(tx: Tx, id: string): Promise<void> {
      await tx.db.updateTable('sessions').set({ updated_at: now }).where('id', '=', id).execute();
    },
  };
}
