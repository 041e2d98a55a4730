// Shares a session with guests by a token, and ends the share.

import { AppError, type BodyOf, isId, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Caller, Store } from '@pilothouse/store';
import { hashOf, newToken } from '../auth/tokens.ts';
import type { From } from '../http/call.ts';
import type { SessionReads } from './session-reads.ts';
import { livePathOf } from './sessions.view.ts';

type Routes = typeof routes;
type Options = {
  store: Store;
  reads: SessionReads;
  /** Called after the commit: guests with the former token have to go. */
  onShareRevoked: (sessionId: string) => void;
};

export function createShareService({ store, reads, onShareRevoked }: Options) {
  return {
    /** The token is in this reply and in no other. */
    async share(
      caller: Caller,
      id: string,
      { expires_in_secs }: BodyOf<Routes['shareSession']>,
      { address }: From,
    ): Promise<ReplyOf<Routes['shareSession']>> {
      if (!isId(id)) throw new AppError('not_found');
      const token = newToken('share');
      const made = await store.change(id, async (tx) => {
        const session = await store.sessions.drivenBy(tx, caller, id);
        if (!session) throw new AppError('not_found');
        const row = await store.shares.put(tx, id, hashOf(token), expires_in_secs);
        if (!row) throw new AppError('conflict', { detail: 'A closed session cannot be shared.' });
        const event = row.has_replaced ? 'rotate_share' : 'create_share';
        const about = { userId: session.owner_id, actorId: caller.id, address };
        const data = { session_id: id, share_id: row.id, expires_at: row.expires_at };
        await store.audit.add({ event, outcome: 'success', ...about, data }, tx);
        return row;
      });
      if (made.has_replaced) onShareRevoked(id);
      const fragment = `session=${id}&share=${token}`;
      const share = {
        session_id: id,
        live_path: livePathOf(id),
        share_token: token,
        // Behind the `#`, which browsers do not send: the token is in no log of a server or proxy.
        share_path: `/#${fragment}`,
        share_page_path: `/share#${fragment}`,
        expires_at: made.expires_at.toISOString(),
      };
      return { success: true, share };
    },

    async read(caller: Caller, id: string): Promise<ReplyOf<Routes['getShare']>> {
      const session = await reads.require(caller, id);
      const row = await store.shares.of(session.id);
      const share = row && {
        session_id: row.session_id,
        created_at: row.created_at.toISOString(),
        expires_at: row.expires_at.toISOString(),
        shared_by: { id: row.user_id, username: row.username },
      };
      return { success: true, share: share ?? null };
    },

    /** Ending it twice is the same as once. */
    async unshare(caller: Caller, id: string, { address }: From): Promise<ReplyOf<Routes['unshareSession']>> {
      if (!isId(id)) throw new AppError('not_found');
      const removed = await store.change(id, async (tx) => {
        const session = await store.sessions.drivenBy(tx, caller, id);
        if (!session) throw new AppError('not_found');
        const row = await store.shares.remove(tx, id);
        const about = { userId: session.owner_id, actorId: caller.id, address };
        const data = { session_id: id, share_id: row?.id };
        if (row?.was_live) await store.audit.add({ event: 'revoke_share', outcome: 'success', ...about, data }, tx);
        return row;
      });
      if (removed) onShareRevoked(id);
      return { success: true };
    },
  };
}
export type ShareService = ReturnType<typeof createShareService>;
