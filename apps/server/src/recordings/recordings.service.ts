// The recording of a session, for its owner and for admins. A share is for watching live, not for recordings.

import {
  AppError,
  ImageType,
  isId,
  loggedLiveKinds,
  type QueryOf,
  type ReplyOf,
  type routes,
} from '@pilothouse/contract';
import type { Caller, Store } from '@pilothouse/store';
import { auditForeignRead } from '../auth/admin-reads.ts';
import { blobOf } from '../http/embedded.ts';
import { isShown, viewBand, viewRecordingItem } from './recordings.view.ts';

type Routes = typeof routes;

export function createRecordingService({ store }: { store: Store }) {
  async function require(caller: Caller, id: string): Promise<string> {
    const session = isId(id) ? await store.sessions.visibleTo(caller, id) : undefined;
    if (!session) throw new AppError('not_found');
    await auditForeignRead(store, caller, session.owner_id, { session_id: session.id, what: 'recording' });
    return session.id;
  }

  return {
    async list(
      caller: Caller,
      id: string,
      query: QueryOf<Routes['getRecording']>,
    ): Promise<ReplyOf<Routes['getRecording']>> {
      const sessionId = await require(caller, id);
      const { rows, nextCursor } = await store.recordings.pageOf(sessionId, { ...query, kinds: loggedLiveKinds });
      return { success: true, items: rows.flatMap((row) => viewRecordingItem(row) ?? []), next_cursor: nextCursor };
    },

    async bands(
      caller: Caller,
      id: string,
      query: QueryOf<Routes['getRecordingBands']>,
    ): Promise<ReplyOf<Routes['getRecordingBands']>> {
      const sessionId = await require(caller, id);
      const { rows, nextCursor } = await store.recordings.bandsOf(sessionId, query);
      return { success: true, bands: rows.map(viewBand), next_cursor: nextCursor };
    },

    async frame(caller: Caller, id: string, frameId: string) {
      const sessionId = await require(caller, id);
      const row = isId(frameId) ? await store.recordings.frameOf(sessionId, frameId) : undefined;
      if (!row?.blob_key || !isShown(row)) throw new AppError('not_found');
      const bytes = await blobOf(store.blobs, row.blob_key);
      if (!bytes) throw new AppError('gone');
      return { bytes, contentType: ImageType.parse(row.content_type) };
    },
  };
}
export type RecordingService = ReturnType<typeof createRecordingService>;
