// Shares: a token that lets a guest watch one session. The database's clock decides which are valid.

import { type Selectable, sql } from 'kysely';
import type { Caller } from '../accounts/users.ts';
import type { Database, Tx } from '../db/db.ts';
import type { Shares } from '../db/generated.ts';
import { newId } from '../db/ids.ts';

export type ShareRow = Selectable<Shares>;
/** A caller with the token of a share: no user, and may watch one session. */
export type Guest = {
  shareId: string;
  sessionId: string;
  /** The last event when the session was shared: the guest sees only later events. */
  fromSeq: number;
};

export type LiveShare = Pick<ShareRow, 'session_id' | 'created_at' | 'expires_at'> & {
  user_id: string;
  username: string;
};

export const isGuest = (who: Caller | Guest): who is Guest => 'shareId' in who;

export function createShares({ pool }: Database) {
  return {
    /**
     * Shares the session, in place of its former share, and returns whether that was still valid. Undefined if the
     * session is closed. Lock the session first.
     */
    async put(
      tx: Tx,
      sessionId: string,
      hash: Buffer,
      expiresInSecs: number,
    ): Promise<(ShareRow & { has_replaced: boolean }) | undefined> {
      const { rows } = await tx.client.query<ShareRow & { has_replaced: boolean }>(
        `with former as (select from shares where session_id = $1 and expires_at > now())
         insert into shares (session_id, id, hash, expires_at, from_seq)
         select s.id, $2, $3, date_trunc('milliseconds', now()) + make_interval(secs => $4), q.last_seq
         from sessions s join session_seq q on q.session_id = s.id where s.id = $1 and s.status <> 'closed'
         on conflict (session_id) do update
           set id = excluded.id, hash = excluded.hash, created_at = excluded.created_at,
             expires_at = excluded.expires_at, from_seq = excluded.from_seq
         returning *, exists (select from former) as has_replaced`,
        [sessionId, newId(), hash, expiresInSecs],
      );
      return rows[0];
    },

    /** The valid share of a session, with the user who shared it: its owner. */
    async of(sessionId: string): Promise<LiveShare | undefined> {
      const { rows } = await pool.query<LiveShare>({
        name: 'shares.of',
        text: `select h.session_id, h.created_at, h.expires_at, u.id as user_id, u.username ${live} and h.session_id = $1`,
        values: [sessionId],
      });
      return rows[0];
    },

    /** Ends the share of a session; undefined if it has none. */
    remove: (tx: Tx, sessionId: string) =>
      tx.db
        .deleteFrom('shares')
        .where('session_id', '=', sessionId)
        .returning('id')
        .returning(sql<boolean>`expires_at > now()`.as('was_live'))
        .executeTakeFirst(),

    /** The guest of a token, and the owner of the session; undefined if it is unknown, replaced, revoked or expired. */
    async guestOf(hash: Buffer): Promise<(Guest & { ownerId: string }) | undefined> {
      const { rows } = await pool.query<Guest & { ownerId: string }>({
        name: 'shares.guestOf',
        text: `select h.id as "shareId", h.session_id as "sessionId", h.from_seq as "fromSeq", s.owner_id as "ownerId"
          ${live} and h.hash = $1`,
        values: [hash],
      });
      return rows[0];
    },

    /** Of these shares, those that are still valid, and for how many milliseconds: one query for a whole server. */
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

/** A share is valid only as long as the owner of its session may log in. */
const live = `from shares h join sessions s on s.id = h.session_id join users u on u.id = s.owner_id
  where h.expires_at > now() and u.disabled_at is null`;
