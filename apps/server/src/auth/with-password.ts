import { AppError } from '@pilothouse/contract';
import type { AuditEntry, Store, UserRow } from '@pilothouse/store';
import type { Passwords } from './passwords.ts';

type Audit = Omit<AuditEntry, 'outcome'>;
/** Nothing, where the password is no longer the one that was verified: then it has done nothing. */
type Act<T> = (user: UserRow, verifiedHash: string, audit: Audit) => Promise<T | undefined>;

/** Once more, if the password changed while it was verified: a better hash of the same one is no reason to refuse. */
const rounds = 2;

/** Does what only those may who know the password, and writes down who did not. */
export function createWithPassword({ store, passwords }: { store: Pick<Store, 'audit'>; passwords: Passwords }) {
  return async function withPassword<T>(
    audit: Audit,
    find: () => Promise<UserRow | undefined>,
    password: string,
    act: Act<T>,
  ): Promise<T> {
    let userId: string | undefined;
    for (let round = 0; round < rounds; round++) {
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
