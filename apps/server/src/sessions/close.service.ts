// Closes a session with its tasks, its browser and its share; with `purge`, also removes what was stored of it.

import { AppError, isId, type ReplyOf, type routes } from '@pilothouse/contract';
import {
  type Append,
  blobsOf,
  type Caller,
  type DriverChange,
  type Store,
  sessionStateOf,
  type Tx,
} from '@pilothouse/store';

type Options = {
  store: Store;
  /** Called after the commit: the browser at this host is no longer needed. */
  onClosed: (fence: DriverChange) => void;
  /** Called after the commit: guests of the session have to go. */
  onShareRevoked: (sessionId: string) => void;
};
type Reply = ReplyOf<(typeof routes)['deleteSession']>;

const reason = 'The session was closed.';

export function createCloseService({ store, onClosed, onShareRevoked }: Options) {
  async function close(tx: Tx, append: Append, id: string): Promise<DriverChange | undefined> {
    const closed = await store.sessions.move(tx, id, 'close');
    if (!closed) return undefined;
    await store.cancels.cancel(tx, append, { sessionId: id }, reason);
    await store.profiles.release(tx, id);
    const fence = await store.browsers.fence(tx, id);
    await store.browsers.forgetState(tx, id);
    await store.secrets.forgetTyped(tx, id);
    await store.retention.releaseLast(tx, id);
    // One event for both: closed, and cold if no host holds the browser.
    const session = (fence ? undefined : await store.sessions.setBrowser(tx, id, 'cold')) ?? closed;
    await append({ kind: 'status', data: { session: sessionStateOf(session) } });
    return fence;
  }

  /** A share is for watching live: the last picture of a closed session is its owner's alone. */
  async function unshare(tx: Tx, caller: Caller, { id, owner_id }: { id: string; owner_id: string }): Promise<boolean> {
    const share = await store.shares.remove(tx, id);
    if (!share) return false;
    const data = { session_id: id, share_id: share.id, because: 'closed' };
    const about = { userId: owner_id, actorId: caller.id, data };
    if (share.was_live) await store.audit.add({ event: 'revoke_share', outcome: 'success', ...about }, tx);
    return true;
  }

  async function purgeRows(tx: Tx, append: Append, id: string): Promise<void> {
    await store.purge.session(tx, append, id);
    const session = await store.sessions.locked(tx, id);
    // Appended again, because the log was purged, too.
    if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
  }

  async function removeBlobs(id: string): Promise<void> {
    await store.blobs.removeAll(blobsOf(id));
    await store.files.forgetOf(id);
  }

  return {
    /** Closing twice is the same as once; a purge may follow later. */
    async close(caller: Caller, id: string, { purge }: { purge: boolean }): Promise<Reply> {
      if (!isId(id)) throw new AppError('not_found');
      const { fence, wasShared } = await store.change(id, async (tx, append) => {
        const session = await store.sessions.drivenBy(tx, caller, id);
        if (!session) throw new AppError('not_found');
        const made = await close(tx, append, id);
        const hadShare = await unshare(tx, caller, session);
        if (purge) await purgeRows(tx, append, id);
        return { fence: made, wasShared: hadShare };
      });
      if (fence) onClosed(fence);
      if (wasShared) onShareRevoked(id);
      // After the commit: a row that points to no blob is worse than a blob without a row.
      if (purge) await removeBlobs(id);
      return { success: true };
    },
  };
}
export type CloseService = ReturnType<typeof createCloseService>;
