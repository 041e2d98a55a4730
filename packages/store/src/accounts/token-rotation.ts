// Issues access and refresh tokens, and exchanges refresh tokens. The database holds only their hashes.

import { sql } from 'kysely';
import type { Db, Tx } from '../db/db.ts';
import { newId } from '../db/ids.ts';
import { endLogins } from './logins.ts';

export type Lifetimes = { accessSecs: number; refreshIdleSecs: number; loginSecs: number };
export type NewLogin = { userId: string; address: string | null; userAgent: string | null };
export type TokenHashes = { access: Buffer; refresh: Buffer };
export type Rotation =
  | { type: 'rotated'; userId: string; loginId: string }
  /** The parent of the valid token, sent again within seconds: the stored reply. */
  | { type: 'retried'; sealedReply: Buffer; loginId: string }
  /** Any other reuse: it has ended the login. */
  | { type: 'reused'; userId: string; loginId: string }
  | { type: 'expired' }
  | { type: 'unknown' };

const secondsFromNow = (secs: number) => sql<Date>`now() + make_interval(secs => ${secs})`;

export function createTokenRotation({
  accessSecs,
  refreshIdleSecs,
  loginSecs,
  retrySecs,
}: Lifetimes & { retrySecs: number }) {
  async function issue(tx: Tx, loginId: string, { access, refresh }: TokenHashes, parent: Buffer | null) {
    await tx.db
      .insertInto('access_tokens')
      .values({ hash: access, login_id: loginId, expires_at: secondsFromNow(accessSecs) })
      .execute();
    await tx.db
      .insertInto('refresh_tokens')
      .values({ hash: refresh, login_id: loginId, parent_hash: parent, expires_at: secondsFromNow(refreshIdleSecs) })
      .execute();
  }

  return {
    async begin(tx: Tx, { userId, address, userAgent }: NewLogin, hashes: TokenHashes): Promise<string> {
      const id = newId();
      await tx.db
        .insertInto('logins')
        .values({ id, user_id: userId, address, user_agent: userAgent, expires_at: secondsFromNow(loginSecs) })
        .execute();
      await issue(tx, id, hashes, null);
      return id;
    },

    /**
     * Exchanges a refresh token for its successor. The login's row is locked first: of several requests with the same
     * token, one exchanges it and the others find it used.
     */
    async rotate(tx: Tx, hash: Buffer, hashes: TokenHashes, seal: () => Buffer): Promise<Rotation> {
      const found = await tx.db
        .selectFrom('refresh_tokens')
        .select('login_id')
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (!found) return { type: 'unknown' };
      const login = await lockValid(tx.db, found.login_id);
      if (!login) return { type: 'unknown' };
      const token = await readToken(tx.db, hash, retrySecs);
      if (!token.used_at) {
        if (token.is_expired) return { type: 'expired' };
        await tx.db
          .updateTable('refresh_tokens')
          .set({ used_at: sql`now()`, sealed_reply: seal() })
          .where('hash', '=', hash)
          .execute();
        await issue(tx, login.id, hashes, hash);
        await tx.db
          .updateTable('logins')
          .set({ last_used_at: sql`date_trunc('milliseconds', now())` })
          .where('id', '=', login.id)
          .execute();
        return { type: 'rotated', userId: login.user_id, loginId: login.id };
      }
      if (token.is_fresh && token.has_live_child && token.sealed_reply) {
        return { type: 'retried', sealedReply: token.sealed_reply, loginId: login.id };
      }
      await endLogins(tx.db, 'reuse').where('id', '=', login.id).execute();
      return { type: 'reused', userId: login.user_id, loginId: login.id };
    },
  };
}

const lockValid = (db: Db, id: string) =>
  db
    .selectFrom('logins')
    .innerJoin('users', 'users.id', 'logins.user_id')
    .select(['logins.id', 'logins.user_id'])
    .where('logins.id', '=', id)
    .where('logins.ended_at', 'is', null)
    .where('logins.expires_at', '>', sql<Date>`now()`)
    .where('users.disabled_at', 'is', null)
    .forUpdate('logins')
    .executeTakeFirst();

const readToken = (db: Db, hash: Buffer, retrySecs: number) =>
  db
    .selectFrom('refresh_tokens')
    .select(['used_at', 'sealed_reply'])
    .select(sql<boolean>`expires_at <= now()`.as('is_expired'))
    .select(sql<boolean>`used_at > now() - make_interval(secs => ${retrySecs})`.as('is_fresh'))
    .select(({ exists, selectFrom }) =>
      // Its successor is unused: then a second use is a retry by the same client, and no theft.
      exists(
        selectFrom('refresh_tokens as child')
          .select('child.hash')
          .where('child.parent_hash', '=', hash)
          .where('child.used_at', 'is', null),
      ).as('has_live_child'),
    )
    .where('hash', '=', hash)
    .executeTakeFirstOrThrow();
