// Lists the logins of a user, and ends them.

import { AppError, isId, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Caller, Store } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import { viewLogin } from './auth.view.ts';
import { hashOf, kindOf } from './tokens.ts';

/** Called when logins have ended, so that their open streams are closed at once. */
export type OnRevoked = (userId: string, loginId: string | null) => void;

type Routes = typeof routes;
type Options = { store: Store; onRevoked: OnRevoked };

export function createLogoutService({ store, onRevoked }: Options) {
  async function endLoginOf({ id: userId, loginId }: Caller) {
    if (!loginId) return undefined;
    await store.logins.endOne(userId, loginId, 'logout');
    return { id: loginId, user_id: userId };
  }

  async function endByRefreshToken(token: string | undefined) {
    return token && kindOf(token) === 'refresh' ? store.logins.endByRefresh(hashOf(token)) : undefined;
  }

  return {
    /** Ends the login of the bearer token; if that is no longer valid, the login of the refresh token. */
    async logout(
      { caller, refusal }: { caller?: Caller; refusal?: AppError },
      refreshToken: string | undefined,
      { address }: From,
    ): Promise<void> {
      const ended = caller?.loginId ? await endLoginOf(caller) : await endByRefreshToken(refreshToken);
      if (!ended) throw refusal ?? new AppError('token_invalid');
      const { id, user_id: userId } = ended;
      onRevoked(userId, id);
      await store.audit.add({ event: 'logout', outcome: 'success', userId, address, data: { login_id: id } });
    },

    /** Ends the login of a refresh token, also of one that was exchanged. Nothing happens if it has ended. */
    async logoutByCookie(token: string, { address }: From): Promise<void> {
      const ended = kindOf(token) === 'refresh' ? await store.logins.endFamilyOf(hashOf(token)) : undefined;
      if (!ended) return;
      const { id, user_id: userId } = ended;
      onRevoked(userId, id);
      await store.audit.add({ event: 'logout', outcome: 'success', userId, address, data: { login_id: id } });
    },

    async logoutAll(caller: Caller, { address }: From): Promise<void> {
      await store.transaction(async (tx) => {
        await store.logins.endAll(tx, caller.id, 'logout_all');
        await store.audit.add({ event: 'logout_all', outcome: 'success', userId: caller.id, address }, tx);
      });
      onRevoked(caller.id, null);
    },

    async list(caller: Caller, page: QueryOf<Routes['listLogins']>): Promise<ReplyOf<Routes['listLogins']>> {
      const { rows, nextCursor } = await store.logins.list(caller.id, page);
      return { success: true, logins: rows.map((row) => viewLogin(row, caller.loginId)), next_cursor: nextCursor };
    },

    async end(caller: Caller, id: string, { address }: From): Promise<void> {
      const ended = isId(id) ? await store.logins.endOne(caller.id, id, 'ended') : undefined;
      if (!ended) throw new AppError('not_found');
      onRevoked(caller.id, id);
      const data = { login_id: id };
      await store.audit.add({ event: 'end_login', outcome: 'success', userId: caller.id, address, data });
    },
  };
}
export type LogoutService = ReturnType<typeof createLogoutService>;
