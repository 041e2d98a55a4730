import { type Selectable, sql } from 'kysely';
import type { Database, Tx } from './db.ts';
import type { Users } from './generated.ts';
import { newId } from './ids.ts';
import type { TokenHolder } from './logins.ts';

/** On whose behalf a query runs. An admin sees everybody's; anyone else only what is theirs. */
export type Caller = {
  id: string;
  role: 'user' | 'admin';
  /** The login or the key it calls with; neither, for the built-in user. */
  loginId?: string;
  keyId?: string;
  holder?: TokenHolder;
};

/** Whom every request acts as while authentication is switched off. */
export const localUser = {
  id: '00000000-0000-7000-8000-000000000001',
  // With spaces, which no registered name or address can have: nobody can take its place.
  username: 'local user',
  email: 'local user@localhost',
  role: 'admin',
} as const;

/** The built-in user has no login: it stands for everybody while nobody has to log in. */
export const isBuiltIn = ({ loginId, keyId }: Caller): boolean => loginId === undefined && keyId === undefined;

export type UserRow = Selectable<Users>;

export function createUsers({ db }: Database) {
  return {
    /** Makes the built-in user where it is missing. */
    async ensureLocal(): Promise<void> {
      await db
        .insertInto('users')
        .values(localUser)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
    },

    /** Nothing, where the name or the address is taken, in whatever case. */
    async create(
      tx: Tx,
      user: { username: string; email: string; passwordHash: string },
    ): Promise<UserRow | undefined> {
      return tx.db
        .insertInto('users')
        .values({ id: newId(), username: user.username, email: user.email, password_hash: user.passwordHash })
        .onConflict((conflict) => conflict.doNothing())
        .returningAll()
        .executeTakeFirst();
    },

    /** Whether the name or the address is somebody's; only the insert decides, this spares it. */
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

    /** By name or address, in whatever case; a name has no `@`, so it is never the one for the other. */
    byNameOrEmail: (text: string): Promise<UserRow | undefined> =>
      db
        .selectFrom('users')
        .selectAll()
        .where(sql`lower(${sql.ref(text.includes('@') ? 'email' : 'username')})`, '=', sql`lower(${text})`)
        .executeTakeFirst(),

    byId: (id: string): Promise<UserRow | undefined> =>
      db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst(),

    list: (): Promise<UserRow[]> => db.selectFrom('users').selectAll().orderBy('created_at').execute(),

    setPassword: (tx: Pick<Tx, 'db'>, id: string, passwordHash: string) =>
      tx.db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', id).execute(),

    /** The same where it is still the one that was verified; false, and nothing changed, where it is not. */
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

    /** Whether it is still the one that was verified. If so, it stays so until the transaction ends. */
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

    setRole: (id: string, role: 'user' | 'admin') =>
      db.updateTable('users').set({ role }).where('id', '=', id).execute(),

    setDisabled: (id: string, isDisabled: boolean) =>
      db
        .updateTable('users')
        .set({ disabled_at: isDisabled ? sql`now()` : null })
        .where('id', '=', id)
        .execute(),
  };
}
