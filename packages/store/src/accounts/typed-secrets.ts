// Opens secrets for the one command that types them, and remembers in which session each was typed, so that it is redacted there.

import { now } from '../db/clock.ts';
import type { Database, Tx } from '../db/db.ts';
import type { Sealer } from '../db/encryption.ts';
import { type SecretContent, secretContext } from './secrets.ts';

/** A secret that is open, for as short as possible. */
export type OpenSecret = SecretContent & { id: string; name: string; origins: string[] };

export const typedContext = ({ session_id, secret_id }: { session_id: string; secret_id: string }): string =>
  `typed ${session_id} ${secret_id}`;

export function createTypedSecrets({ pool, transaction }: Database, sealer: Sealer) {
  return {
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
        const content = sealer.open({ bytes: row.sealed, keyId: row.key_id }, secretContext(row)) as SecretContent;
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
        return (sealer.open({ bytes: sealed, keyId: key_id }, context) as SecretContent).value;
      });
    },

    /** For a session that is closed: no page of it is there any more. */
    async forgetTyped(tx: Tx, sessionId: string): Promise<void> {
      await tx.db.deleteFrom('session_secrets').where('session_id', '=', sessionId).execute();
    },
  };
}
