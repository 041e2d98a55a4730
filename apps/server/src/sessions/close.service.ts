import { AppError, isId, type ReplyOf, type routes } from '@pilothouse/contract';
import {
  type Append,
  blobsOf,
  type Caller,
  type Fence,
  type Store,
  sessionStateOf,
  type Tx,
  type Work,
} from '@pilothouse/store';

type Parts = {
  store: Store;
  work: Work;
  /** Told once it is committed: the browser at this host has nobody left to serve. */
  onClosed: (fence: Fence) => void;
  /** Told as well: those who watched by its share have to go. */
  onUnshared: (sessionId: string) => void;
};
type Reply = ReplyOf<(typeof routes)['deleteSession']>;

const reason = 'The session was closed.';

export function createCloseService({ store, work, onClosed, onUnshared }: Parts) {
  async function close(tx: Tx, append: Append, id: string): Promise<Fence | undefined> {
    const closed = await store.sessions.move(tx, id, 'close');
    if (!closed) return undefined;
    for (const task of await store.cancels.cancel(tx, append, { sessionId: id }, reason)) await work.signal(tx, task);
    await store.profiles.release(tx, id);
    const fence = await store.browsers.fence(tx, id);
    const session = (fence ? undefined : await store.sessions.setBrowser(tx, id, 'cold')) ?? closed;
    await append({ kind: 'status', data: { session: sessionStateOf(session) } });
    return fence;
  }

  /** What was shared was to watch it live: the last picture of a closed one is its owner's again. */
  async function unshare(tx: Tx, caller: Caller, { id, owner_id }: { id: string; owner_id: string }): Promise<boolean> {
    const share = await store.shares.remove(tx, id);
    if (!share) return false;
    const data = { session_id: id, share_id: share.id, because: 'closed' };
    const about = { userId: owner_id, actorId: caller.id, data };
    if (share.was_live) await store.audit.add({ event: 'revoke_share', outcome: 'success', ...about }, tx);
    return true;
  }

  async function forget(tx: Tx, append: Append, id: string): Promise<void> {
    await store.purge.session(tx, append, id);
    const session = await store.sessions.locked(tx, id);
    // Said anew, because what was said of it is forgotten too.
    if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
  }

  return {
    /** Ends the session and all that goes on in it. Done twice it is done once; purging may follow later. */
    async close(caller: Caller, id: string, { purge }: { purge: boolean }): Promise<Reply> {
      if (!isId(id)) throw new AppError('not_found');
      const { fence, wasShared } = await store.change(id, async (tx, append) => {
        const session = await store.sessions.drivenBy(tx, caller, id);
        if (!session) throw new AppError('not_found');
        const made = await close(tx, append, id);
        const hadShare = await unshare(tx, caller, session);
        if (purge) await forget(tx, append, id);
        return { fence: made, wasShared: hadShare };
      });
      if (fence) onClosed(fence);
      if (wasShared) onUnshared(id);
      // After the commit: a row that points to nothing would be worse than a picture that nobody points to.
      if (purge) await store.blobs.removeAll(blobsOf(id));
      return { success: true };
    },
  };
}
export type CloseService = ReturnType<typeof createCloseService>;
