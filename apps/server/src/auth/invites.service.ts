// Invitations to register. Only administrators make, see and withdraw them.

import {
  AppError,
  type BodyOf,
  isId,
  type QueryOf,
  type Registration,
  type ReplyOf,
  type routes,
} from '@pilothouse/contract';
import { type Caller, localUser, type Store } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import { viewInvite } from './auth.view.ts';
import { requireAdmin } from './require-admin.ts';
import { hashOf, newToken } from './tokens.ts';

type Routes = typeof routes;
type Options = { store: Pick<Store, 'invites' | 'audit'>; registration: Registration };

/** What follows the # is sent to no server, so the token is in no log of requests. */
export const pathOf = (token: string): string => `/register#invite=${token}`;

export function createInvitesService({ store, registration }: Options) {
  return {
    async create(
      caller: Caller,
      { note, role, expires_in_secs: expiresInSecs }: BodyOf<Routes['createInvite']>,
      { address }: From,
    ): Promise<ReplyOf<Routes['createInvite']>> {
      requireAdmin(caller, 'Only administrators see and make invitations.');
      if (caller.id === localUser.id)
        throw new AppError('conflict', { detail: 'Authentication is disabled: nobody needs an account.' });
      if (registration === 'closed')
        throw new AppError('conflict', {
          detail: 'Registration is closed: only the operator can invite, by a command.',
        });
      const token = newToken('invite');
      const invite = { tokenHash: hashOf(token), role, note, createdBy: caller.id, expiresInSecs };
      const row = await store.invites.add(invite);
      const data = { invite_id: row.id, role };
      await store.audit.add({ event: 'create_invite', outcome: 'success', userId: caller.id, address, data });
      return { success: true, invite: { ...viewInvite(row), invite_token: token, path: pathOf(token) } };
    },

    async list(caller: Caller, page: QueryOf<Routes['listInvites']>): Promise<ReplyOf<Routes['listInvites']>> {
      requireAdmin(caller, 'Only administrators see and make invitations.');
      const { rows, nextCursor } = await store.invites.list(page);
      return { success: true, invites: rows.map(viewInvite), next_cursor: nextCursor };
    },

    async remove(caller: Caller, id: string, { address }: From): Promise<void> {
      requireAdmin(caller, 'Only administrators see and make invitations.');
      const removed = isId(id) ? await store.invites.remove(id) : undefined;
      if (!removed) throw new AppError('not_found');
      const data = { invite_id: id };
      await store.audit.add({ event: 'delete_invite', outcome: 'success', userId: caller.id, address, data });
    },
  };
}
export type InvitesService = ReturnType<typeof createInvitesService>;
