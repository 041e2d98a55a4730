// Profiles: saved browser states with a label, each owned by one user, encrypted, with one writer at a time.

import { type Selectable, sql } from 'kysely';
import { now } from '../db/clock.ts';
import type { Database, Tx } from '../db/db.ts';
import { columnsOf, type Sealer } from '../db/encryption.ts';
import type { Profiles } from '../db/generated.ts';
import { newId } from '../db/ids.ts';
import { newestFirst } from '../db/newest-first.ts';

export type ProfileRow = Selectable<Profiles>;

/** No session may write to it at present. */
export const isFree = sql<boolean>`(profiles.held_by is null or profiles.held_until < now())`;

export function createProfiles({ db }: Database, sealer: Sealer) {
  return {
    /** Whether there is a key to encrypt them with. */
    isOn: sealer.canSeal,

    async list(ownerId: string, { limit, cursor }: { limit: number; cursor?: string }) {
      return newestFirst(db.selectFrom('profiles').selectAll().where('owner_id', '=', ownerId), { limit, cursor });
    },

    /** How many bytes its state takes; undefined if the user has no such profile. */
    async sizeOf(tx: Tx, ownerId: string, { id, label }: { id?: string; label?: string }): Promise<number | undefined> {
      const found = await tx.db
        .selectFrom('profiles')
        .select('state_bytes')
        .where('owner_id', '=', ownerId)
        .where(({ and }) => and({ ...(id !== undefined && { id }), ...(label !== undefined && { label }) }))
        .executeTakeFirst();
      return found?.state_bytes;
    },

    /** Creates the profile with this label, or replaces its state. Undefined if another session holds it. */
    save: (tx: Tx, ownerId: string, { label, sessionId, state }: { label: string; sessionId: string; state: object }) =>
      tx.db
        .insertInto('profiles')
        .values({ id: newId(), owner_id: ownerId, label, ...sealState(sealer, state, ownerId, label) })
        .onConflict((conflict) =>
          conflict
            .columns(['owner_id', 'label'])
            .doUpdateSet({ ...sealState(sealer, state, ownerId, label), updated_at: now })
            .where(({ or, eb }) => or([isFree, eb('profiles.held_by', '=', sessionId)])),
        )
        .returningAll()
        .executeTakeFirst(),

    remove: (ownerId: string, id: string) =>
      db.deleteFrom('profiles').where('owner_id', '=', ownerId).where('id', '=', id).returning('id').executeTakeFirst(),
  };
}

export const sealState = (sealer: Sealer, state: object, ownerId: string, label: string) =>
  columnsOf(sealer.seal(state, contextOf(ownerId, label)));

/** Binds the ciphertext to its profile: it cannot be decrypted as the state of another. */
export const contextOf = (ownerId: string, label: string) => `profile ${ownerId} ${label}`;
