// Lends profiles to sessions: each gets a copy of the state, and one session at a time may write its state back.

import { sql } from 'kysely';
import { now } from '../db/clock.ts';
import type { Tx } from '../db/db.ts';
import { type Sealer, sealedOf } from '../db/encryption.ts';
import { newId } from '../db/ids.ts';
import { contextOf, isFree, sealState } from './profiles.ts';

/** A copy of the profile's state; `isHeld` if the session may write back. */
export type LentProfile = { id: string; label: string; state: object | null; isHeld: boolean };

/** A session that has not saved for this long gives way to another that wants to write. */
const heldFor = sql<Date>`now() + interval '15 minutes'`;

export function createProfileLending(sealer: Sealer) {
  return {
    /**
     * Lends the profile to a session that is about to begin: by id, or by a label, which is created if it is new. The
     * first session may write back; the others only have a copy. Undefined if the user has no such profile.
     */
    async lend(
      tx: Tx,
      ownerId: string,
      { id, label }: { id?: string; label?: string },
      sessionId: string,
    ): Promise<LentProfile | undefined> {
      if (id === undefined && label !== undefined) {
        await tx.db
          .insertInto('profiles')
          .values({ id: newId(), owner_id: ownerId, label })
          .onConflict((conflict) => conflict.columns(['owner_id', 'label']).doNothing())
          .execute();
      }
      const held = await tx.db
        .updateTable('profiles')
        .set({ held_by: sessionId, held_until: heldFor })
        .where('owner_id', '=', ownerId)
        .where(({ and }) => and({ ...(id !== undefined && { id }), ...(label !== undefined && { label }) }))
        .where(isFree)
        .returningAll()
        .executeTakeFirst();
      const row =
        held ??
        (await tx.db
          .selectFrom('profiles')
          .selectAll()
          .where('owner_id', '=', ownerId)
          .where(({ and }) => and({ ...(id !== undefined && { id }), ...(label !== undefined && { label }) }))
          .executeTakeFirst());
      if (!row) return undefined;
      const from = sealedOf(row);
      const state = from ? sealer.open(from, contextOf(ownerId, row.label)) : null;
      return { id: row.id, label: row.label, state, isHeld: held !== undefined };
    },

    /** Saves the session's state to the profile that it holds; false if it holds none. */
    async writeBack(tx: Tx, sessionId: string, state: object): Promise<boolean> {
      const held = await tx.db
        .selectFrom('profiles')
        .select(['id', 'owner_id', 'label'])
        .where('held_by', '=', sessionId)
        .executeTakeFirst();
      if (!held) return false;
      const { numUpdatedRows } = await tx.db
        .updateTable('profiles')
        .set({ ...sealState(sealer, state, held.owner_id, held.label), held_until: heldFor, updated_at: now })
        .where('id', '=', held.id)
        .where('held_by', '=', sessionId)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Other sessions may write from now on. */
    async release(tx: Tx, sessionId: string): Promise<void> {
      await tx.db
        .updateTable('profiles')
        .set({ held_by: null, held_until: null })
        .where('held_by', '=', sessionId)
        .execute();
    },
  };
}
