// Invitations to register. The database holds only the hashes of their tokens, and its clock says when they lapse.

import { type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import type { Invites } from '../db/generated.ts';
import { newId } from '../db/ids.ts';
import { newestFirst } from '../db/newest-first.ts';
import { localUser } from './users.ts';

export type InviteRow = Selectable<Invites>;
type NewInvite = {
  tokenHash: Buffer;
  role: 'user' | 'admin';
  note?: string | null;
  /** Null for the operator's command. */
  createdBy: string | null;
  expiresInSecs: number;
};

/** Where registration is closed, only those of the operator count; those of a user, only while the user is an administrator. */
const isGood = (tokenHash: Buffer, isClosed: boolean) =>
  sql<boolean>`token_hash = ${tokenHash} and used_at is null and expires_at > clock_timestamp()
    and (created_by is null or not ${isClosed}::boolean and exists (
      select from users u where u.id = invites.created_by and u.role = 'admin' and u.disabled_at is null))`;

export function createInvites({ db }: Database) {
  const expiryIn = (secs: number) => sql<Date>`date_trunc('milliseconds', now()) + make_interval(secs => ${secs})`;

  return {
    add: ({ tokenHash, role, note = null, createdBy, expiresInSecs }: NewInvite): Promise<InviteRow> =>
      db
        .insertInto('invites')
        .values({
          id: newId(),
          token_hash: tokenHash,
          role,
          note,
          created_by: createdBy,
          expires_at: expiryIn(expiresInSecs),
        })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /**
     * For the first administrator: written only while there is no user. Each server that starts may write one, as none knows the
     * token of another; when one is used, the others count no more.
     */
    async addFirst(tokenHash: Buffer, expiresInSecs: number): Promise<InviteRow | undefined> {
      const { rows } = await sql<InviteRow>`
        insert into invites (id, token_hash, role, is_first, expires_at)
        select ${newId()}, ${tokenHash}, 'admin', true, ${expiryIn(expiresInSecs)}
        where not exists (select from users where id <> ${localUser.id})
        returning *`.execute(db);
      return rows[0];
    },

    /** Whether it counts now. Only `use` decides; this saves a hash of a password. */
    async counts(tokenHash: Buffer, isClosed: boolean): Promise<boolean> {
      const row = await db.selectFrom('invites').select('id').where(isGood(tokenHash, isClosed)).executeTakeFirst();
      return row !== undefined;
    },

    /** Uses the invitation up, for a user who is created in the same transaction. Undefined if it does not count, or no more. */
    async use({ db: inTx }: Tx, tokenHash: Buffer, isClosed: boolean): Promise<InviteRow | undefined> {
      // In one order, so that two first administrators who register at once wait for each other instead of locking each other out.
      await sql`select id from invites where is_first and used_at is null order by id for update`.execute(inTx);
      const used = await inTx
        .updateTable('invites')
        .set({ used_at: sql`clock_timestamp()` })
        .where(isGood(tokenHash, isClosed))
        .returningAll()
        .executeTakeFirst();
      if (used?.is_first)
        await inTx
          .updateTable('invites')
          .set({ used_at: sql`clock_timestamp()` })
          .where('is_first', '=', true)
          .where('used_at', 'is', null)
          .execute();
      return used;
    },

    async usedBy({ db: inTx }: Tx, id: string, userId: string): Promise<void> {
      await inTx.updateTable('invites').set({ used_by: userId }).where('id', '=', id).execute();
    },

    async list({ limit, cursor }: { limit: number; cursor?: string }) {
      return newestFirst(db.selectFrom('invites').selectAll(), { limit, cursor });
    },

    /** Only one that was not used: who came with which stays known. */
    remove: (id: string): Promise<{ id: string } | undefined> =>
      db.deleteFrom('invites').where('id', '=', id).where('used_at', 'is', null).returning('id').executeTakeFirst(),
  };
}
