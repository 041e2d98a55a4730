// Finds the user whom an administrator names: by name, e-mail address or id.

import { AppError, isId } from '@pilothouse/contract';
import type { Store, UserRow } from '@pilothouse/store';

export function createFindUser({ users }: Pick<Store, 'users'>) {
  return async function findUser(text: string): Promise<UserRow> {
    const user = isId(text) ? await users.byId(text) : await users.byNameOrEmail(text.trim());
    if (user) return user;
    const errors = [{ pointer: '/query/user', message: 'is no user of this installation' }];
    throw new AppError('validation_failed', { detail: 'There is no such user.', errors });
  };
}
