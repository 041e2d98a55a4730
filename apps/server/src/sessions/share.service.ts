import { AppError, type BodyOf, isId, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Caller, Store } from '@pilothouse/store';
import { hashOf, newToken } from '../auth/tokens.ts';
import type { From } from '../http/serve.ts';
import { livePathOf } from './sessions.view.ts';

type Routes = typeof routes;
type Parts = {
  store: Store;
  /** Told once it is committed that whoever watches by the former token has to go. */
  onRevoked: (sessionId: string) => void;
};

export function createShareService({ store, onRevoked }: Parts) {
  return {
    /** The only time the token is told. */
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
      if (made.has_replaced) onRevoked(id);
      const share = {
        session_id: id,
        live_path: livePathOf(id),
        share_token: token,
        // Behind the `#`, so that browsers keep it to themselves: no server and no proxy has it in its log.
        share_path: `/#session=${id}&share=${token}`,
        expires_at: made.expires_at.toISOString(),
      };
      return { success: true, share };
    },

    /** Done twice it is done once. */
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
      if (removed) onRevoked(id);
      return { success: true };
    },
  };
}
export type ShareService = ReturnType<typeof createShareService>;
