// Makes sessions, lists them, and shows one.

import type { BodyOf, QueryOf, ReplyOf, routes } from '@pilothouse/contract';
import type { Caller, Guest, Store } from '@pilothouse/store';
import { auditForeignList } from '../auth/admin-reads.ts';
import { Pictures } from '../http/embedded.ts';
import { viewSnapshot } from '../live/seen-snapshot.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionReads } from './session-reads.ts';
import { viewSession } from './sessions.view.ts';

type Routes = typeof routes;
type Options = { store: Store; reads: SessionReads; openSession: OpenSession };

export function createSessionsService({ store, reads, openSession }: Options) {
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

    async detail(caller: Caller | Guest, id: string) {
      const seen = await reads.snapshotFor(caller, await reads.require(caller, id));
      const pictures = new Pictures();
      const snapshot = viewSnapshot(seen, (image) => pictures.embed(image));
      return { pictures, reply: { success: true, snapshot } satisfies ReplyOf<Routes['getSession']> };
    },
  };
}
export type SessionsService = ReturnType<typeof createSessionsService>;
