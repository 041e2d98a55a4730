// API keys: how a program calls the API without a login. The database holds only their hashes.

import { type Selectable, sql } from 'kysely';
import type { Database } from '../db/db.ts';
import type { ApiKeys } from '../db/generated.ts';
import { newId } from '../db/ids.ts';
import { newestFirst } from '../db/newest-first.ts';
import { type Caller, localUser } from './users.ts';

export type KeyRow = Selectable<ApiKeys>;

export function createKeys({ db, pool }: Database) {
  return {
    add: (userId: string, label: string, hash: Buffer, expiresInSecs: number | undefined) =>
      db
        .insertInto('api_keys')
        .values({
          id: newId(),
          user_id: userId,
          label,
          hash,
          expires_at:
            expiresInSecs === undefined
              ? null
              : sql<Date>`date_trunc('milliseconds', now()) + make_interval(secs => ${expiresInSecs})`,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /**
     * The user of the key; never the built-in user, which does not exist while users have to log in. The time of use is
     * written at most once a minute.
     */
    async holderOf(hash: Buffer): Promise<{ key_id: string; user_id: string; role: 'user' | 'admin' } | undefined> {
      const { rows } = await pool.query<{ key_id: string; user_id: string; role: 'user' | 'admin'; is_stale: boolean }>(
        {
          name: 'keys.holderOf',
          text: `select k.id as key_id, u.id as user_id, u.role,
                 coalesce(k.last_used_at < now() - interval '1 minute', true) as is_stale
               from api_keys k join users u on u.id = k.user_id
               where k.hash = $1 and k.removed_at is null and coalesce(k.expires_at > now(), true)
                 and u.disabled_at is null and u.id <> $2`,
          values: [hash, localUser.id],
        },
      );
      const [holder] = rows;
      if (holder?.is_stale) {
        await pool.query(`update api_keys set last_used_at = date_trunc('milliseconds', now()) where id = $1`, [
          holder.key_id,
        ]);
      }
      return holder;
    },

    async list(userId: string, { limit, cursor }: { limit: number; cursor?: string }) {
      const keys = db.selectFrom('api_keys').selectAll().where('user_id', '=', userId).where('removed_at', 'is', null);
      return newestFirst(keys, { limit, cursor });
    },

    remove: (userId: string, id: string) =>
      db
        .updateTable('api_keys')
        .set({ removed_at: sql`now()` })
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('removed_at', 'is', null)
        .returning('id')
        .executeTakeFirst(),

    /** Of these keys, those that are still valid, with the present role of their users. */
    async stillValid(ids: string[]): Promise<Map<string, Caller['role']>> {
      const { rows } = await pool.query<{ id: string; role: Caller['role'] }>({
        name: 'keys.stillValid',
        text: `select k.id, u.role from api_keys k join users u on u.id = k.user_id
               where k.id = any($1) and k.removed_at is null and coalesce(k.expires_at > now(), true)
                 and u.disabled_at is null and u.id <> $2`,
        values: [ids, localUser.id],
      });
      return new Map(rows.map(({ id, role }) => [id, role]));
    },
  };
}
