import { AppError, type BodyOf, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Caller, Store } from '@pilothouse/store';
import { viewSession } from './sessions.view.ts';

type Routes = typeof routes;
const defaultViewport = { width: 1280, height: 720 };

export function createSessionsService({ store }: { store: Store }) {
  return {
    async create(caller: Caller, body: BodyOf<Routes['createSession']>): Promise<ReplyOf<Routes['createSession']>> {
      // There are no saved profiles yet, so none can be named.
      if (body.profile_id) throw new AppError('not_found');
      const session = await store.transaction((tx) =>
        store.sessions.create(tx, caller, {
          title: body.title,
          profileLabel: body.profile_label,
          viewport: body.viewport ?? defaultViewport,
        }),
      );
      return { success: true, session: viewSession(session) };
    },

    async list(caller: Caller, query: QueryOf<Routes['listSessions']>): Promise<ReplyOf<Routes['listSessions']>> {
      const { rows, nextCursor } = await store.sessions.listVisibleTo(caller, query);
      return { success: true, sessions: rows.map(viewSession), next_cursor: nextCursor };
    },
  };
}
export type SessionsService = ReturnType<typeof createSessionsService>;
