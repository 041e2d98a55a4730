// Does what only a user who knows the password may do, and writes every wrong password to the audit.

import { AppError } from '@pilothouse/contract';
import type { AuditEntry, Store, UserRow } from '@pilothouse/store';
import type { Passwords } from './passwords.ts';

type Options = { store: Pick<Store, 'audit'>; passwords: Passwords };
type Audit = Omit<AuditEntry, 'outcome'>;
/** Returns undefined, and has done nothing, if the password is no longer the one that was verified. */
type Act<T> = (user: UserRow, verifiedHash: string, audit: Audit) => Promise<T | undefined>;

/** A second attempt if the hash changed while it was verified: a better hash of the same password is no refusal. */
const attempts = 2;

export function createWithPassword({ store, passwords }: Options) {
  return async function withPassword<T>(
    audit: Audit,
    find: () => Promise<UserRow | undefined>,
    password: string,
    act: Act<T>,
  ): Promise<T> {
    let userId: string | undefined;
    for (let attempt = 0; attempt < attempts; attempt++) {
      const user = await find();
      userId = user?.id;
      const isRight = await passwords.verify(user?.password_hash, password);
      if (!user?.password_hash || !isRight || user.disabled_at) break;
      const done = await act(user, user.password_hash, { ...audit, userId });
      if (done !== undefined) return done;
    }
    await store.audit.add({ ...audit, userId, outcome: 'invalid_credentials' });
    throw new AppError('invalid_credentials');
  };
}
export type WithPassword = ReturnType<typeof createWithPassword>;
