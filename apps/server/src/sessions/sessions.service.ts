import { AppError, type BodyOf, isId, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import { type Caller, type Guest, isGuest, type Store, type StoredEvent } from '@pilothouse/store';
import { auditForeignList, auditForeignRead } from '../auth/admin-reads.ts';
import type { EventStream } from '../http/event-stream.ts';
import { readCursor } from '../live/cursor.ts';
import { encodeLiveEvent, encodeSharedEvent } from '../live/encoded.ts';
import type { Hub } from '../live/hub.ts';
import { shareSnapshot } from '../live/share.view.ts';
import type { Viewers } from '../live/viewers.ts';
import type { Watchers } from '../live/watchers.ts';
import type { OpenSession } from './open-session.ts';
import { viewSession } from './sessions.view.ts';
import type { SnapshotOf } from './snapshot.ts';

type Routes = typeof routes;

type Parts = {
  store: Store;
  hub: Hub;
  watchers: Watchers;
  viewers: Viewers;
  snapshotOf: SnapshotOf;
  openSession: OpenSession;
};

export function createSessionsService({ store, hub, watchers, viewers, snapshotOf, openSession }: Parts) {
  const find = (caller: Caller | Guest, id: string) =>
    isGuest(caller) ? store.sessions.watchedBy(caller, id) : store.sessions.visibleTo(caller, id);

  async function require(caller: Caller | Guest, id: string) {
    const session = isId(id) ? await find(caller, id) : undefined;
    if (!session) throw new AppError('not_found');
    if (!isGuest(caller)) await auditForeignRead(store, caller, session.owner_id, { session_id: session.id });
    return session;
  }

  return {
    async create(caller: Caller, body: BodyOf<Routes['createSession']>): Promise<ReplyOf<Routes['createSession']>> {
      const session = await store.transaction((tx) => openSession(tx, caller, body));
      return { success: true, session: viewSession(session) };
    },

    async list(caller: Caller, query: QueryOf<Routes['listSessions']>): Promise<ReplyOf<Routes['listSessions']>> {
      const { rows, nextCursor } = await store.sessions.listVisibleTo(caller, query);
      const owners = rows.map(({ owner_id }) => owner_id);
      await auditForeignList(store, caller, owners, { list: 'sessions' });
      return {
        success: true,
        sessions: rows.map((row) => viewSession(row, row.viewers)),
        next_cursor: nextCursor,
      };
    },

    async detail(caller: Caller | Guest, id: string): Promise<ReplyOf<Routes['getSession']>> {
      const snapshot = await snapshotOf(await require(caller, id), idOf(caller));
      return { success: true, snapshot: isGuest(caller) ? shareSnapshot(snapshot) : snapshot };
    },

    /** What keeps the view current: the snapshot, unless the cursor is known, then every event and the newest frames. */
    async follow(caller: Caller | Guest, id: string, cursor: string | undefined) {
      const session = await require(caller, id);
      const newest = (await store.events.lastSeqs([id])).get(id) ?? 0;
      const given = readCursor(cursor);
      const isKnown = given !== undefined && given <= newest;

      return async (stream: EventStream): Promise<void> => {
        let from = given ?? 0;
        if (!isKnown) {
          if (cursor !== undefined) stream.send({ type: 'reset', data: { type: 'reset', reason: 'cursor_unknown' } });
          const all = await snapshotOf(session, idOf(caller));
          const snapshot = isGuest(caller) ? shareSnapshot(all) : all;
          stream.send({ type: 'snapshot', data: { type: 'snapshot', snapshot } });
          from = readCursor(snapshot.cursor) ?? 0;
        }
        const onEvents = (events: StoredEvent[]) => {
          for (const event of events) {
            const encoded = isGuest(caller) ? encodeSharedEvent(event) : encodeLiveEvent(event);
            if (!encoded) continue;
            stream.sendEncoded(encoded.bytes);
            if (encoded.type === 'status' || encoded.type === 'takeover') watchers.refresh(id);
          }
        };
        if (stream.isEnded()) return;
        watchers.watch(id, { userId: idOf(caller), onFrame: (bytes) => stream.offer(bytes) }, stream);
        const onCount = (count: number) => stream.send({ type: 'viewers', data: { type: 'viewers', viewers: count } });
        viewers.join(id, onCount, stream);
        await hub.follow(id, from, onEvents, stream);
      };
    },
  };
}
const idOf = (caller: Caller | Guest) => (isGuest(caller) ? undefined : caller.id);

export type SessionsService = ReturnType<typeof createSessionsService>;
