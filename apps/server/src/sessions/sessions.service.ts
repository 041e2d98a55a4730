// Makes sessions, lists them, and shows one.

import { AppError, type BodyOf, isId, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import { type Caller, type Guest, type Store, sessionStateOf } from '@pilothouse/store';
import { auditForeignList } from '../auth/admin-reads.ts';
import { blobOf, bytesOf, Pictures } from '../http/embedded.ts';
import { viewSnapshot } from '../live/seen-snapshot.ts';
import { withholdPicture } from '../live/withheld.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionReads } from './session-reads.ts';
import { viewFrame, viewListed, viewSession } from './sessions.view.ts';

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
        sessions: rows.map(viewListed),
        next_cursor: nextCursor,
      };
    },

    /** Only the owner renames it. Everyone who follows it hears of it. */
    async update(
      caller: Caller,
      id: string,
      { title }: BodyOf<Routes['updateSession']>,
    ): Promise<ReplyOf<Routes['updateSession']>> {
      if (!isId(id)) throw new AppError('not_found');
      const renamed = await store.change(id, async (tx, append) => {
        const session = await store.sessions.drivenBy(tx, caller, id);
        if (!session) throw new AppError('not_found');
        const row = await store.sessions.rename(tx, id, title);
        if (row) await append({ kind: 'status', data: { session: { ...sessionStateOf(row), title } } });
        return { ...session, ...row };
      });
      const viewers = await store.viewers.of([id]);
      return { success: true, session: viewSession(renamed, viewers.get(id)) };
    },

    /** The newest picture that is kept. Its browser is not asked, and a private picture is not shown. */
    async thumbnail(caller: Caller, id: string) {
      const session = await reads.require(caller, id);
      const row = await store.frames.of(session.id);
      if (!row) throw new AppError('not_found');
      if (row.private) {
        const { view, image } = withholdPicture(viewFrame(row));
        return { bytes: bytesOf(image), contentType: view.content_type, etag: `"${row.frame_id}-withheld"` };
      }
      const bytes = await blobOf(store.blobs, row.blob_key);
      if (!bytes) throw new AppError('gone');
      return { bytes, contentType: row.content_type, etag: `"${row.frame_id}"` };
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
