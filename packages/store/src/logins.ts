import { type Selectable, sql } from 'kysely';
import type { Database, Db, Tx } from './db.ts';
import type { Logins } from './generated.ts';
import { newId } from './ids.ts';
import { decodeCursor, toPage } from './pages.ts';

export type LoginRow = Selectable<Logins>;
export type Lifetimes = { accessSecs: number; refreshIdleSecs: number; loginSecs: number };
export type NewLogin = { userId: string; address: string | null; userAgent: string | null };
export type TokenHashes = { access: Buffer; refresh: Buffer };
/** Whom a token speaks for, as far as it still does. */
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
export type Rotation =
  | { type: 'rotated'; userId: string; loginId: string }
  /** The parent of the live token, shown again within seconds: the answer it got the first time. */
  | { type: 'retried'; sealedReply: Buffer; loginId: string }
  /** Any other reuse: the whole family has ended by it. */
  | { type: 'reused'; userId: string; loginId: string }
  | { type: 'expired' }
  | { type: 'unknown' };

const secondsFromNow = (secs: number) => sql<Date>`now() + make_interval(secs => ${secs})`;

/** Logins, and the tokens that speak for them. Only the database's clock decides what is still valid. */
export function createLogins(
  { db, pool }: Database,
  { accessSecs, refreshIdleSecs, loginSecs, retrySecs }: Lifetimes & { retrySecs: number },
) {
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

    /** Whom the access token speaks for; nothing, for one that was never issued or whose login has ended. */
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
     * Exchanges a refresh token for its child. The login's row is locked first, so of many who show the same token one
     * rotates it and the others find it used.
     */
    async rotate(tx: Tx, hash: Buffer, hashes: TokenHashes, seal: () => Buffer): Promise<Rotation> {
      const found = await tx.db
        .selectFrom('refresh_tokens')
        .select('login_id')
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (!found) return { type: 'unknown' };
      const login = await lockLive(tx.db, found.login_id);
      if (!login) return { type: 'unknown' };
      const token = await tx.db
        .selectFrom('refresh_tokens')
        .select(['used_at', 'sealed_reply'])
        .select(sql<boolean>`expires_at <= now()`.as('is_expired'))
        .select(sql<boolean>`used_at > now() - make_interval(secs => ${retrySecs})`.as('is_fresh'))
        .select(({ exists, selectFrom }) =>
          // Its child is still the live one: then a second showing is a retry and no theft.
          exists(
            selectFrom('refresh_tokens as child')
              .select('child.hash')
              .where('child.parent_hash', '=', hash)
              .where('child.used_at', 'is', null),
          ).as('has_live_child'),
        )
        .where('hash', '=', hash)
        .executeTakeFirstOrThrow();
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
      await end(tx.db, 'reuse').where('id', '=', login.id).execute();
      return { type: 'reused', userId: login.user_id, loginId: login.id };
    },

    /** The family a refresh token belongs to, for its limit; nothing, for a token that was never issued. */
    async familyOf(hash: Buffer): Promise<string | undefined> {
      return (await db.selectFrom('refresh_tokens').select('login_id').where('hash', '=', hash).executeTakeFirst())
        ?.login_id;
    },

    /** Whose login it is. */
    userOf: (id: string) =>
      db
        .selectFrom('users')
        .innerJoin('logins', 'logins.user_id', 'users.id')
        .selectAll('users')
        .where('logins.id', '=', id)
        .executeTakeFirst(),

    /** Ends the login of a live refresh token; nothing, where there is none. */
    async endByRefresh(hash: Buffer): Promise<{ id: string; user_id: string } | undefined> {
      return end(db, 'logout')
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

    /** Ends one login of a user; nothing, where it is not theirs or has ended. */
    endOne: (userId: string, id: string, because: string) =>
      end(db, because)
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .returning('id')
        .executeTakeFirst(),

    /** Ends every login of a user, but for one where it is named. */
    endAll: (tx: Pick<Tx, 'db'>, userId: string, because: string, exceptId?: string) =>
      end(tx.db, because)
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

    /** Removes what nobody can use any more: tokens a day after they ran out, logins a month after they ended. */
    async sweep(): Promise<void> {
      await pool.query(`delete from access_tokens where expires_at < now() - interval '1 day'`);
      await pool.query(`delete from logins where least(ended_at, expires_at) < now() - interval '30 days'`);
    },

    /** Of these logins, those that are still valid, and what their users are by now: one question for a whole server. */
    async stillValid(ids: string[]): Promise<Map<string, TokenHolder['role']>> {
      const { rows } = await pool.query<{ id: string; role: TokenHolder['role'] }>({
        name: 'logins.stillValid',
        text: `select l.id, u.role from logins l join users u on u.id = l.user_id
               where l.id = any($1) and l.ended_at is null and l.expires_at > now() and u.disabled_at is null`,
        values: [ids],
      });
      return new Map(rows.map(({ id, role }) => [id, role]));
    },
  };
}

const lockLive = (db: Db, id: string) =>
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

const end = (db: Db, because: string) => db.updateTable('logins').set({ ended_at: sql`now()`, ended_because: because });
