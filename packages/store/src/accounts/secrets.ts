// Secrets of users: written sealed, opened only for the command that types one. Lists and names never open anything.

import { type Selectable, sql } from 'kysely';
import { now } from '../db/clock.ts';
import type { Database, Tx } from '../db/db.ts';
import type { Sealer } from '../db/encryption.ts';
import type { Secrets } from '../db/generated.ts';
import { newId } from '../db/ids.ts';

export type SecretRow = Omit<Selectable<Secrets>, 'sealed' | 'key_id'>;
export type NewSecret = { name: string; origins: string[]; value: string; totp?: string };
/** What is sealed. */
type Content = { value: string; totp?: string };
/** A secret that is open, for as short as possible. */
export type OpenSecret = Content & { id: string; name: string; origins: string[] };

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

export const typedContext = ({ session_id, secret_id }: { session_id: string; secret_id: string }): string =>
  `typed ${session_id} ${secret_id}`;

export function createSecrets({ db, pool, transaction }: Database, sealer: Sealer) {
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
      const content: Content = { value, ...(totp !== undefined && { totp }) };
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

    /**
     * Opens a secret to type it in a session. Before it is given out, the session remembers that it holds the value, so that
     * no crash leaves a page with a value that is not redacted. Undefined where the user has none of that name.
     */
    use: (ownerId: string, sessionId: string, name: string): Promise<OpenSecret | undefined> =>
      transaction(async (tx) => {
        const row = await tx.db
          .updateTable('secrets')
          .set({ last_used_at: now })
          .where('owner_id', '=', ownerId)
          .where('name', '=', name)
          .returningAll()
          .executeTakeFirst();
        if (!row) return undefined;
        // Sealed by `put`, in this shape.
        const content = sealer.open({ bytes: row.sealed, keyId: row.key_id }, secretContext(row)) as Content;
        const typed = { session_id: sessionId, secret_id: row.id };
        const { bytes: sealed, keyId: key_id } = sealer.seal({ value: content.value }, typedContext(typed));
        await tx.db
          .insertInto('session_secrets')
          .values({ ...typed, written_at: row.updated_at, sealed, key_id })
          .onConflict((conflict) => conflict.columns(['session_id', 'secret_id', 'written_at']).doNothing())
          .execute();
        return { ...content, id: row.id, name: row.name, origins: row.origins };
      }),

    /** The values that were typed in the session, to be redacted. */
    async typedIn(sessionId: string): Promise<string[]> {
      const { rows } = await pool.query<{ secret_id: string; sealed: Buffer; key_id: string }>({
        name: 'secrets.typedIn',
        text: 'select secret_id, sealed, key_id from session_secrets where session_id = $1',
        values: [sessionId],
      });
      return rows.map(({ secret_id, sealed, key_id }) => {
        const context = typedContext({ session_id: sessionId, secret_id });
        return (sealer.open({ bytes: sealed, keyId: key_id }, context) as Content).value;
      });
    },

    /** For a session that is closed: no page of it is there any more. */
    async forgetTyped(tx: Tx, sessionId: string): Promise<void> {
      await tx.db.deleteFrom('session_secrets').where('session_id', '=', sessionId).execute();
    },
  };
}
