// The password hash of a user. Never the password.

import type { Tx } from '../db/db.ts';

export const passwords = {
  setPassword: (tx: Pick<Tx, 'db'>, id: string, passwordHash: string) =>
    tx.db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', id).execute(),

  /** Sets it if the present hash is the one that was verified; false, and nothing changed, if it is not. */
  async replacePassword(tx: Pick<Tx, 'db'>, id: string, verifiedHash: string, passwordHash: string) {
    const { numUpdatedRows } = await tx.db
      .updateTable('users')
      .set({ password_hash: passwordHash })
      .where('id', '=', id)
      .where('password_hash', '=', verifiedHash)
      .where('disabled_at', 'is', null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  },

  /** Whether the present hash is the one that was verified. If so, it cannot change until the transaction ends. */
  async holdPassword(tx: Pick<Tx, 'db'>, id: string, verifiedHash: string): Promise<boolean> {
    const row = await tx.db
      .selectFrom('users')
      .select('id')
      .where('id', '=', id)
      .where('password_hash', '=', verifiedHash)
      .where('disabled_at', 'is', null)
      .forShare()
      .executeTakeFirst();
    return row !== undefined;
  },
};
