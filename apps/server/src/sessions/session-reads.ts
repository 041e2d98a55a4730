// A session and its snapshot, for a caller or a guest who may see it. Reads by admins are written to the audit.

import { AppError, isId } from '@pilothouse/contract';
import { type Caller, type Guest, isGuest, type ReadSession, type Store } from '@pilothouse/store';
import { auditForeignRead } from '../auth/admin-reads.ts';
import type { SeenSnapshot } from '../live/seen-snapshot.ts';
import { shareSnapshot } from '../live/share.view.ts';
import type { SnapshotOf } from './snapshot.ts';

type Options = { store: Store; snapshotOf: SnapshotOf };

export function createSessionReads({ store, snapshotOf }: Options) {
  const find = (caller: Caller | Guest, id: string) =>
    isGuest(caller) ? store.sessions.watchedBy(caller, id) : store.sessions.visibleTo(caller, id);

  return {
    async require(caller: Caller | Guest, id: string): Promise<ReadSession> {
      const session = isId(id) ? await find(caller, id) : undefined;
      if (!session) throw new AppError('not_found');
      if (!isGuest(caller)) await auditForeignRead(store, caller, session.owner_id, { session_id: session.id });
      return session;
    },

    async snapshotFor(caller: Caller | Guest, session: ReadSession): Promise<SeenSnapshot> {
      const seen = await snapshotOf(session, userIdOf(caller));
      return isGuest(caller) ? shareSnapshot(seen) : seen;
    },
  };
}
export type SessionReads = ReturnType<typeof createSessionReads>;

/** A guest has no user id. */
export const userIdOf = (caller: Caller | Guest) => (isGuest(caller) ? undefined : caller.id);
