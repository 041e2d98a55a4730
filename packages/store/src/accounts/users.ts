// Users, and the caller on whose behalf a query runs.

import { type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../db/db.ts';
import type { Users } from '../db/generated.ts';
import { newId } from '../db/ids.ts';
import type { TokenHolder } from './token-holders.ts';

/** On whose behalf a query runs. An admin sees the rows of all users, any other caller only their own. */
export type Caller = {
  id: string;
  role: 'user' | 'admin';
  /** The login or the API key of the request; the built-in user has neither. */
  loginId?: string;
  keyId?: string;
  holder?: TokenHolder;
};

/** The user of every request while authentication is disabled. */
export const localUser = {
  id: '00000000-0000-7000-8000-000000000001',
  // With a space, which no registered name or address can have: the name cannot be registered.
  username: 'local user',
  email: 'local user@localhost',
  role: 'admin',
} as const;

/** The built-in user has no login and no key. */
export const isBuiltIn = ({ loginId, keyId }: Caller): boolean => loginId === undefined && keyId === undefined;

export type UserRow = Selectable<Users>;

export function createUsers({ db }: Database) {
  return {
    /** Creates the built-in user if it is missing. */
    async ensureLocal(): Promise<void> {
      await db
        .insertInto('users')
        .values(localUser)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    },

    /** Undefined if the name or the address is taken; upper and lower case are the same. */
    async create(
      tx: Tx,
      user: { username: string; email: string; passwordHash: string; role?: 'user' | 'admin' },
    ): Promise<UserRow | undefined> {
      return tx.db
        .insertInto('users')
        .values({
          id: newId(),
          username: user.username,
          email: user.email,
          password_hash: user.passwordHash,
          role: user.role ?? 'user',
        })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
    },

    /** Whether the name or the address is taken. Only the insert decides; this saves an attempt. */
    async isTaken(username: string, email: string): Promise<boolean> {
      const row = await db
        .selectFrom('users')
        .select('id')
        .where(({ or }) =>
          or([sql<boolean>`lower(username) = lower(${username})`, sql<boolean>`lower(email) = lower(${email})`]),
        )
        .executeTakeFirst();
      return row !== undefined;
    },

    /** By name or address; upper and lower case are the same. A name has no `@`, so the two cannot be confused. */
    byNameOrEmail: (text: string): Promise<UserRow | undefined> =>
      db
        .selectFrom('users')
        .selectAll()
        .where(sql`lower(${sql.ref(text.includes('@') ? 'email' : 'username')})`, '=', sql`lower(${text})`)
        .executeTakeFirst(),

    byId: (id: string): Promise<UserRow | undefined> =>
      db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst(),

    list: (): Promise<UserRow[]> => db.selectFrom('users').selectAll().orderBy('created_at').execute(),

    setRole: (id: string, role: 'user' | 'admin') =>
      db.updateTable('users').set({ role }).where('id', '=', id).execute(),

    /** Changes nothing if the user is so already: since when stays known. */
    setDisabled: (id: string, isDisabled: boolean) =>
      db
        .updateTable('users')
        .set({ disabled_at: isDisabled ? sql`now()` : null })
        .where('id', '=', id)
        .where('disabled_at', isDisabled ? 'is' : 'is not', null)
        .execute(),
  };
}
