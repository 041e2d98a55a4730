// Creates accounts. Anybody may call it, so it never hashes a password for a name that it knows is taken.

import { AppError, type RegisterRequest, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Store } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import { viewUser } from './auth.view.ts';
import { createKeyedLock } from './keyed-lock.ts';
import { requireGoodPassword } from './password-rules.ts';
import type { Passwords } from './passwords.ts';

type Options = { store: Store; passwords: Passwords; minPasswordLength: number };
type Reply = ReplyOf<(typeof routes)['register']>;

export function createRegistrationService({ store, passwords, minPasswordLength }: Options) {
  const lock = createKeyedLock();

  return {
    async register({ username, email, password }: RegisterRequest, from: From): Promise<Reply> {
      requireGoodPassword({ password, username, email, minLength: minPasswordLength, pointer: '/body/password' });
      // One at a time for each name: of several requests for the same name, one pays for the hash and the others learn
      // that the name is taken.
      const user = await lock.run(username.toLowerCase(), async () => {
        if (await store.users.isTaken(username, email)) return undefined;
        const passwordHash = await passwords.hash(password);
        return store.transaction((tx) => store.users.create(tx, { username, email, passwordHash }));
      });
      await store.audit.add({
        event: 'register',
        outcome: user ? 'success' : 'user_exists',
        userId: user?.id,
        address: from.address,
      });
      if (!user) throw new AppError('user_exists');
      return { success: true, user: viewUser(user) };
    },
  };
}
export type RegistrationService = ReturnType<typeof createRegistrationService>;
