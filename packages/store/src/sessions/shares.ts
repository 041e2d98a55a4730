import { type Selectable, sql } from 'kysely';
import type { Database, Tx } from './db.ts';
import type { Shares } from './generated.ts';
import { newId } from './ids.ts';
import type { Caller } from './users.ts';

export type ShareRow = Selectable<Shares>;
/** Who came with the token of a share: nobody with a name, who may watch one session. */
export type Guest = { shareId: string; sessionId: string };

export const isGuest = (who: Caller | Guest): who is Guest => 'shareId' in who;

/** Shares of sessions. Only the database's clock decides which are live. */
export function createShares({ pool }: Database) {
  return {
    /**
     * Shares the session, in place of whatever share it had, and says whether that one was still live. Nothing, where
     * the session is closed. Lock the session first.
     */
    async put(
      tx: Tx,
      sessionId: string,
      hash: Buffer,
      expiresInSecs: number,
    ): Promise<(ShareRow & { has_replaced: boolean }) | undefined> {
      const { rows } = await tx.client.query<ShareRow & { has_replaced: boolean }>(
        `with former as (select from shares where session_id = $1 and expires_at > now())
         insert into shares (session_id, id, hash, expires_at)
         select id, $2, $3, date_trunc('milliseconds', now()) + make_interval(secs => $4)
         from sessions where id = $1 and status <> 'closed'
         on conflict (session_id) do update
           set id = excluded.id, hash = excluded.hash, created_at = excluded.created_at, expires_at = excluded.expires_at
         returning *, exists (select from former) as has_replaced`,
        [sessionId, newId(), hash, expiresInSecs],
      );
      return rows[0];
    },

    /** Ends the share of a session; nothing, where it has none. */
    remove: (tx: Tx, sessionId: string) =>
      tx.db
        .deleteFrom('shares')
        .where('session_id', '=', sessionId)
        .returning('id')
        .returning(sql<boolean>`expires_at > now()`.as('was_live'))
        .executeTakeFirst(),

    /** What the token lets watch, and whose it is; nothing, for one that is unknown, replaced, revoked or expired. */
    async guestOf(hash: Buffer): Promise<(Guest & { ownerId: string }) | undefined> {
      const { rows } = await pool.query<Guest & { ownerId: string }>({
        name: 'shares.guestOf',
        text: `select h.id as "shareId", h.session_id as "sessionId", s.owner_id as "ownerId" ${live} and h.hash = $1`,
        values: [hash],
      });
      return rows[0];
    },

    /** Of these shares, those that are still live, and for how many milliseconds: one question for a whole server. */
    async stillLive(ids: string[]): Promise<Map<string, number>> {
      const { rows } = await pool.query<{ id: string; left_ms: number }>({
        name: 'shares.stillLive',
        text: `select h.id, (extract(epoch from h.expires_at - now()) * 1000)::float8 as left_ms ${live} and h.id = any($1)`,
        values: [ids],
      });
      return new Map(rows.map(({ id, left_ms }) => [id, left_ms]));
    },
  };
}

/** A share speaks for the owner of its session, and so only as long as that user may come in. */
const live = `from shares h join sessions s on s.id = h.session_id join users u on u.id = s.owner_id
  where h.expires_at > now() and u.disabled_at is null`;
