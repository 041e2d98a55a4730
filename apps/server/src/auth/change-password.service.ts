// Changes the password of a user who knows the present one. All other logins of the user end with it.

import { AppError, type BodyOf, type routes } from '@pilothouse/contract';
import type { Caller, Store, UserRow } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import { type AuthLimits, identifierKey } from './auth.limits.ts';
import type { OnRevoked } from './logout.service.ts';
import { requireGoodPassword } from './password-rules.ts';
import type { Passwords } from './passwords.ts';
import type { WithPassword } from './with-password.ts';

type Options = {
  store: Store;
  passwords: Passwords;
  withPassword: WithPassword;
  limits: AuthLimits;
  minPasswordLength: number;
  onRevoked: OnRevoked;
};
type Request = BodyOf<(typeof routes)['changePassword']>;

export function createChangePassword(options: Options) {
  const { store, passwords, withPassword, limits, minPasswordLength, onRevoked } = options;

  async function requireUser(caller: Caller): Promise<UserRow> {
    const user = await store.users.byId(caller.id);
    if (!user) throw new AppError('token_invalid');
    return user;
  }

  return async function changePassword(caller: Caller, body: Request, from: From): Promise<void> {
    const { current_password, new_password: password } = body;
    await limits.loginOfIdentifier.spend(identifierKey(from.address, `change ${caller.id}`));
    await withPassword(
      { event: 'change_password', address: from.address },
      () => requireUser(caller),
      current_password,
      async (user, verifiedHash, audit) => {
        const { username, email } = user;
        const pointer = '/body/new_password';
        requireGoodPassword({ password, username, email, minLength: minPasswordLength, pointer });
        const passwordHash = await passwords.hash(password);
        return store.transaction(async (tx) => {
          if (!(await store.users.replacePassword(tx, user.id, verifiedHash, passwordHash))) return undefined;
          await store.logins.endAll(tx, user.id, 'change_password', caller.loginId);
          await store.audit.add({ ...audit, outcome: 'success' }, tx);
          return true;
        });
      },
    );
    onRevoked(caller.id, null);
  };
}
export type ChangePassword = ReturnType<typeof createChangePassword>;
