import type { Database } from './db.ts';

/** On whose behalf a query runs. An admin sees everybody's; anyone else only what is theirs. */
export type Caller = { id: string; role: 'user' | 'admin' };

/** Whom every request acts as while authentication is switched off. */
export const localUser = {
  id: '00000000-0000-7000-8000-000000000001',
  // With spaces, which no registered name or address can have: nobody can take its place.
  username: 'local user',
  email: 'local user@localhost',
  role: 'admin',
} as const;

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
  };
}
