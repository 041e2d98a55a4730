// Whom a token speaks for. Asked for every request; only the database's clock decides what is still valid.

import type { Database } from '../db/db.ts';
import { endLogins } from './logins.ts';

export type TokenHolder = {
  user_id: string;
  username: string;
  email: string;
  role: 'user' | 'admin';
  login_id: string;
  issued_at: Date;
  expires_at: Date;
  is_expired: boolean;
};

export function createTokenHolders({ db, pool }: Database) {
  return {
    /** Undefined for an access token that was never issued, or whose login has ended. */
    async holderOf(hash: Buffer): Promise<TokenHolder | undefined> {
      const { rows } = await pool.query<TokenHolder>({
        name: 'logins.holderOf',
        text: `select u.id as user_id, u.username, u.email, u.role, l.id as login_id, t.issued_at, t.expires_at,
                 t.expires_at <= now() as is_expired
               from access_tokens t join logins l on l.id = t.login_id join users u on u.id = l.user_id
               where t.hash = $1 and l.ended_at is null and l.expires_at > now() and u.disabled_at is null`,
        values: [hash],
      });
      return rows[0];
    },

    /**
     * Of these logins, those that are still valid, with the role of their users: one query for all streams of a server.
     */
    async stillValid(ids: string[]): Promise<Map<string, TokenHolder['role']>> {
      const { rows } = await pool.query<{ id: string; role: TokenHolder['role'] }>({
        name: 'logins.stillValid',
        text: `select l.id, u.role from logins l join users u on u.id = l.user_id
               where l.id = any($1) and l.ended_at is null and l.expires_at > now() and u.disabled_at is null`,
        values: [ids],
      });
      return new Map(rows.map(({ id, role }) => [id, role]));
    },

    /** The login of a refresh token, for its rate limit; undefined for a token that was never issued. */
    async familyOf(hash: Buffer): Promise<string | undefined> {
      return (await db.selectFrom('refresh_tokens').select('login_id').where('hash', '=', hash).executeTakeFirst())
        ?.login_id;
    },

    /** Ends the login that a refresh token was issued for, used or not; undefined if there is none, or it has ended. */
    async endFamilyOf(hash: Buffer): Promise<{ id: string; user_id: string } | undefined> {
      return endLogins(db, 'logout')
        .where('id', '=', ({ selectFrom }) => selectFrom('refresh_tokens').select('login_id').where('hash', '=', hash))
        .where('ended_at', 'is', null)
        .returning(['id', 'user_id'])
        .executeTakeFirst();
    },

    /** The user of a login. */
    userOf: (id: string) =>
      db
        .selectFrom('users')
        .innerJoin('logins', 'logins.user_id', 'users.id')
        .selectAll('users')
        .where('logins.id', '=', id)
        .executeTakeFirst(),
  };
}
