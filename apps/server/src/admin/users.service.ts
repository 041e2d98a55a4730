// Users for administrators: listed with what each has open and stored, disabled and enabled.

import { AppError, type BodyOf, isId, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import { type Caller, localUser, type Store } from '@pilothouse/store';
import type { OnRevoked } from '../auth/logout.service.ts';
import { requireAdmin } from '../auth/require-admin.ts';
import type { From } from '../http/call.ts';
import { viewUser } from './admin.view.ts';
import { auditAdminList } from './audit.service.ts';
import { auditEventOf } from './command.ts';
import { createFindUser } from './find-user.ts';

type Routes = typeof routes;
type Options = { store: Store; onRevoked: OnRevoked };

export function createAdminUsers({ store, onRevoked }: Options) {
  const findUser = createFindUser(store);

  return {
    async list(
      caller: Caller,
      { limit, cursor, user }: QueryOf<Routes['listAdminUsers']>,
      { address }: From,
    ): Promise<ReplyOf<Routes['listAdminUsers']>> {
      requireAdmin(caller);
      const id = user === undefined ? undefined : (await findUser(user)).id;
      const { rows, nextCursor } = await store.adminReads.users({ limit, cursor, id });
      await auditAdminList(store, caller, address, { list: 'users', ...(user !== undefined && { user }) });
      return { success: true, users: rows.map(viewUser), next_cursor: nextCursor };
    },

    async change(
      caller: Caller,
      id: string,
      { disabled }: BodyOf<Routes['changeUser']>,
      { address }: From,
    ): Promise<ReplyOf<Routes['changeUser']>> {
      requireAdmin(caller);
      const user = isId(id) ? await store.users.byId(id) : undefined;
      if (!user) throw new AppError('not_found');
      if (user.id === localUser.id)
        throw new AppError('conflict', { detail: 'The built-in user cannot be changed: nobody can log in as it.' });
      if (user.id === caller.id)
        throw new AppError('conflict', { detail: 'You cannot disable yourself: another administrator can.' });
      // First, so that the user cannot log in again in between.
      await store.users.setDisabled(user.id, disabled);
      await store.transaction(async (tx) => {
        if (disabled) await store.logins.endAll(tx, user.id, 'disabled');
        const event = auditEventOf(disabled ? 'disable' : 'enable');
        const entry = { event, outcome: 'success', userId: user.id, actorId: caller.id, address };
        await store.audit.add(entry, tx);
      });
      if (disabled) onRevoked(user.id, null);
      return { success: true };
    },
  };
}
