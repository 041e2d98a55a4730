// The logins of users: listed, ended, and removed when they are of no more use.

import { type Selectable, sql } from 'kysely';
import { countRows } from '../db/count-rows.ts';
import { decodeCursor, toPage } from '../db/cursors.ts';
import type { Database, Db, Tx } from '../db/db.ts';
import type { Logins } from '../db/generated.ts';

export type LoginRow = Selectable<Logins>;

export function createLogins({ db, pool }: Database) {
  return {
    /** Ends the login of a valid refresh token; undefined if there is none. */
    async endByRefresh(hash: Buffer): Promise<{ id: string; user_id: string } | undefined> {
      return endLogins(db, 'logout')
        .where('id', '=', ({ selectFrom }) =>
          selectFrom('refresh_tokens')
            .select('login_id')
            .where('hash', '=', hash)
            .where('used_at', 'is', null)
            .where('expires_at', '>', sql<Date>`now()`),
        )
        .where('ended_at', 'is', null)
        .returning(['id', 'user_id'])
        .executeTakeFirst();
    },

    /** Ends one login of a user; undefined if it is not theirs or has ended. */
    endOne: (userId: string, id: string, because: string) =>
      endLogins(db, because)
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .returning('id')
        .executeTakeFirst(),

    /** Ends every login of a user, except `exceptId` if it is given. */
    endAll: (tx: Pick<Tx, 'db'>, userId: string, because: string, exceptId?: string) =>
      endLogins(tx.db, because)
        .where('user_id', '=', userId)
        .where('ended_at', 'is', null)
        .$if(exceptId !== undefined, (query) => query.where('id', '<>', exceptId ?? ''))
        .returning('id')
        .execute(),

    async list(userId: string, { limit, cursor }: { limit: number; cursor?: string }) {
      let query = db
        .selectFrom('logins')
        .selectAll()
        .where('user_id', '=', userId)
        .where('ended_at', 'is', null)
        .where('expires_at', '>', sql<Date>`now()`);
      if (cursor) {
        const { at, id } = decodeCursor(cursor);
        query = query.where(sql<boolean>`(last_used_at, id) < (${at}, ${id})`);
      }
      const rows = await query
        .orderBy('last_used_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      return toPage(rows, limit, (row) => ({ at: row.last_used_at, id: row.id }));
    },

    /** Removes up to `limit` access tokens that expired more than a day ago; returns the number removed. */
    async sweepTokens(limit: number): Promise<number> {
      return countRows(pool, {
        name: 'logins.sweepTokens',
        text: `delete from access_tokens where hash in (
                 select hash from access_tokens where expires_at < now() - interval '1 day'
                 order by expires_at limit $1 for update skip locked)`,
        values: [limit],
      });
    },

    /** Removes up to `limit` logins that ended more than `days` ago, with their tokens; returns the number removed. */
    async sweep(days: number, limit: number): Promise<number> {
      return countRows(pool, {
        name: 'logins.sweep',
        text: `delete from logins where id in (
                 select id from logins where least(ended_at, expires_at) < now() - make_interval(days => $1)
                 order by least(ended_at, expires_at) limit $2 for update skip locked)`,
        values: [days, limit],
      });
    },
  };
}

export const endLogins = (db: Db, because: string) =>
  db.updateTable('logins').set({ ended_at: sql`now()`, ended_because: because });
