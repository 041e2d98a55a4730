import { type Selectable, sql } from 'kysely';
import type { Database, Tx } from './db.ts';
import type { Profiles } from './generated.ts';
import { newId } from './ids.ts';
import { decodeCursor, toPage } from './pages.ts';
import { columnsOf, type Sealer, sealedOf } from './seal.ts';

export type ProfileRow = Selectable<Profiles>;
/** A profile as a session begins with it: a copy of its state, and the right to write back where it was free. */
export type Lent = { id: string; label: string; state: object | null; isHeld: boolean };

/** A session that has not saved for so long gives way to another that wants to write. */
const heldFor = sql<Date>`now() + interval '15 minutes'`;
const now = sql<Date>`date_trunc('milliseconds', clock_timestamp())`;
const isFree = sql<boolean>`(profiles.held_by is null or profiles.held_until < now())`;

/** Saved browser states by label: everybody's own, sealed, with one writer at a time. */
export function createProfiles({ db }: Database, sealer: Sealer) {
  const sealed = (state: object, ownerId: string, label: string) =>
    columnsOf(sealer.seal(state, owned(ownerId, label)));

  return {
    /** Whether there is a key to seal them with. */
    isOn: sealer.canSeal,

    async list(ownerId: string, { limit, cursor }: { limit: number; cursor?: string }) {
      let query = db.selectFrom('profiles').selectAll().where('owner_id', '=', ownerId);
      if (cursor) {
        const { at, id } = decodeCursor(cursor);
        query = query.where(sql<boolean>`(created_at, id) < (${at}, ${id})`);
      }
      const rows = await query
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      return toPage(rows, limit, (row) => ({ at: row.created_at, id: row.id }));
    },

    async hasLabel(tx: Tx, ownerId: string, label: string): Promise<boolean> {
      const found = await tx.db
        .selectFrom('profiles')
        .select('id')
        .where('owner_id', '=', ownerId)
        .where('label', '=', label)
        .executeTakeFirst();
      return found !== undefined;
    },

    /** Makes the profile of this label, or replaces its state; nothing, where another session is its writer. */
    save: (tx: Tx, ownerId: string, { label, sessionId, state }: { label: string; sessionId: string; state: object }) =>
      tx.db
        .insertInto('profiles')
        .values({ id: newId(), owner_id: ownerId, label, ...sealed(state, ownerId, label) })
        .onConflict((conflict) =>
          conflict
            .columns(['owner_id', 'label'])
            .doUpdateSet({ ...sealed(state, ownerId, label), updated_at: now })
            .where(({ or, eb }) => or([isFree, eb('profiles.held_by', '=', sessionId)])),
        )
        .returningAll()
        .executeTakeFirst(),

    /**
     * Lends the profile to a session that is about to begin: by id, or by a label, which is made where it is new. The
     * first to come may write back; the others have a copy. Nothing, where the user has no such profile.
     */
    async lend(
      tx: Tx,
      ownerId: string,
      { id, label }: { id?: string; label?: string },
      sessionId: string,
    ): Promise<Lent | undefined> {
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
      const state = from ? sealer.open(from, owned(ownerId, row.label)) : null;
      return { id: row.id, label: row.label, state, isHeld: held !== undefined };
    },

    /** What the session has saved goes back to the profile it holds; where it holds none, nowhere. */
    async writeBack(tx: Tx, sessionId: string, state: object): Promise<boolean> {
      const held = await tx.db
        .selectFrom('profiles')
        .select(['id', 'owner_id', 'label'])
        .where('held_by', '=', sessionId)
        .executeTakeFirst();
      if (!held) return false;
      const { numUpdatedRows } = await tx.db
        .updateTable('profiles')
        .set({ ...sealed(state, held.owner_id, held.label), held_until: heldFor, updated_at: now })
        .where('id', '=', held.id)
        .where('held_by', '=', sessionId)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    /** Others may write now. */
    async release(tx: Tx, sessionId: string): Promise<void> {
      await tx.db
        .updateTable('profiles')
        .set({ held_by: null, held_until: null })
        .where('held_by', '=', sessionId)
        .execute();
    },

    remove: (ownerId: string, id: string) =>
      db.deleteFrom('profiles').where('owner_id', '=', ownerId).where('id', '=', id).returning('id').executeTakeFirst(),
  };
}

const owned = (ownerId: string, label: string) => `profile ${ownerId} ${label}`;
