// Secrets of users: written sealed, opened only for the command that types one. Lists and names never open anything.

import { type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import type { Sealer } from '../db/encryption.ts';
import type { Secrets } from '../db/generated.ts';
import { newId } from '../db/ids.ts';

export type SecretRow = Omit<Selectable<Secrets>, 'sealed' | 'key_id'>;
export type NewSecret = { name: string; origins: string[]; value: string; totp?: string };
/** What is sealed. */
export type SecretContent = { value: string; totp?: string };
const shown = [
  'id',
  'owner_id',
  'name',
  'origins',
  'has_totp',
  'created_at',
  'updated_at',
  'last_used_at',
] as const satisfies (keyof SecretRow)[];

/** Two writes in one millisecond are two: sessions tell values apart by it. */
const later = sql<Date>`greatest(date_trunc('milliseconds', now()), secrets.updated_at + interval '1 millisecond')`;

/** In a row of another owner, under another name or with other origins, it does not open. */
export const secretContext = ({ owner_id, name, origins }: Pick<SecretRow, 'owner_id' | 'name' | 'origins'>): string =>
  `secret ${owner_id} ${name} ${JSON.stringify(origins)}`;

export function createSecrets({ db }: Database, sealer: Sealer) {
  return {
    /** Whether there is a key to seal them with. */
    isOn: sealer.canSeal,

    list: (ownerId: string): Promise<SecretRow[]> =>
      db.selectFrom('secrets').select(shown).where('owner_id', '=', ownerId).orderBy('name').execute(),

    /** Those of these names that the user has. */
    named: (ownerId: string, names: readonly string[]): Promise<SecretRow[]> =>
      names.length === 0
        ? Promise.resolve([])
        : db
            .selectFrom('secrets')
            .select(shown)
            .where('owner_id', '=', ownerId)
            .where('name', 'in', names)
            .orderBy('name')
            .execute(),

    /** How many the user has besides this one. Ask with the user locked. */
    async countOthers(tx: Tx, ownerId: string, name: string): Promise<number> {
      const { rows } = await tx.client.query<{ count: number }>({
        name: 'secrets.countOthers',
        text: 'select count(*) from secrets where owner_id = $1 and name <> $2',
        values: [ownerId, name],
      });
      return rows[0]?.count ?? 0;
    },

    /** Writes the secret, or replaces the one of that name. */
    put(tx: Tx, ownerId: string, { name, origins, value, totp }: NewSecret): Promise<SecretRow> {
      const content: SecretContent = { value, ...(totp !== undefined && { totp }) };
      const { bytes: sealed, keyId: key_id } = sealer.seal(
        content,
        secretContext({ owner_id: ownerId, name, origins }),
      );
      const written = { origins, has_totp: totp !== undefined, sealed, key_id };
      return tx.db
        .insertInto('secrets')
        .values({ id: newId(), owner_id: ownerId, name, ...written })
        .onConflict((conflict) =>
          conflict.columns(['owner_id', 'name']).doUpdateSet({ ...written, updated_at: later, last_used_at: null }),
        )
        .returning(shown)
        .executeTakeFirstOrThrow();
    },

    async remove(tx: Tx, ownerId: string, name: string): Promise<boolean> {
      const { numDeletedRows } = await tx.db
        .deleteFrom('secrets')
        .where('owner_id', '=', ownerId)
        .where('name', '=', name)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}
