// Keeps the picture that a model was sent with a page, in the folder of its session: a purge removes it with everything else.

import { newId, type Store, type TaskRow } from '@pilothouse/store';
import type { Picture } from '../model/types.ts';

/** The blob is stored before its row: one without a row is found and removed. */
export async function keepPicture({ blobs }: Store, { session_id }: TaskRow, { mediaType, bytes }: Picture) {
  const blobKey = `sessions/${session_id}/seen/${newId()}.${mediaType.slice('image/'.length)}`;
  await blobs.put(blobKey, bytes);
  return { blobKey, contentType: mediaType };
}
