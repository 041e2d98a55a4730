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
};
type Reply = ReplyOf<(typeof routes)['deleteSession']>;

const reason = 'The session was closed.';

export function createCloseService({ store, work, onClosed }: Parts) {
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
      const fence = await store.change(id, async (tx, append) => {
        if (!(await store.sessions.drivenBy(tx, caller, id))) throw new AppError('not_found');
        const made = await close(tx, append, id);
        if (purge) await forget(tx, append, id);
        return made;
      });
      if (fence) onClosed(fence);
      // After the commit: a row that points to nothing would be worse than a picture that nobody points to.
      if (purge) await store.blobs.removeAll(blobsOf(id));
      return { success: true };
    },
  };
}
export type CloseService = ReturnType<typeof createCloseService>;
