// API keys of a user, for programs. The token of a key is returned once, when the key is made.

import { AppError, type BodyOf, isId, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import { type Caller, localUser, type Store } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import { viewKey } from './auth.view.ts';
import type { OnRevoked } from './logout.service.ts';
import { hashOf, newToken } from './tokens.ts';

type Routes = typeof routes;
type Options = { store: Store; onRevoked: OnRevoked };

export function createKeysService({ store, onRevoked }: Options) {
  return {
    async create(
      caller: Caller,
      { label, expires_in_secs }: BodyOf<Routes['createKey']>,
      { address }: From,
    ): Promise<ReplyOf<Routes['createKey']>> {
      // Its holder would still be an admin long after authentication is switched on again.
      if (caller.id === localUser.id)
        throw new AppError('conflict', { detail: 'Authentication is disabled: no key is needed.' });
      const token = newToken('key');
      const row = await store.keys.add(caller.id, label, hashOf(token), expires_in_secs);
      const data = { key_id: row.id };
      await store.audit.add({ event: 'create_key', outcome: 'success', userId: caller.id, address, data });
      return { success: true, key: { ...viewKey(row), key_token: token } };
    },

    async list(caller: Caller, page: QueryOf<Routes['listKeys']>): Promise<ReplyOf<Routes['listKeys']>> {
      const { rows, nextCursor } = await store.keys.list(caller.id, page);
      return { success: true, keys: rows.map(viewKey), next_cursor: nextCursor };
    },

    async remove(caller: Caller, id: string, { address }: From): Promise<void> {
      const removed = isId(id) ? await store.keys.remove(caller.id, id) : undefined;
      if (!removed) throw new AppError('not_found');
      onRevoked(caller.id, null);
      const data = { key_id: id };
      await store.audit.add({ event: 'delete_key', outcome: 'success', userId: caller.id, address, data });
    },
  };
}
export type KeysService = ReturnType<typeof createKeysService>;
