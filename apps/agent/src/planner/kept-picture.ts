// Keeps the picture that a model was sent with a page, in the folder of its session: a purge removes it with everything else.

import type { Log } from '@pilothouse/process';
import { newId, type Store, type TaskRow } from '@pilothouse/store';
import type { Picture } from '../model/types.ts';

type Options = { store: Pick<Store, 'blobs'>; log: Log };

/** The blob is stored before its row. Undefined where it could not be: a decision that was paid for is not lost for it. */
export async function keepPicture({ store, log }: Options, { id, session_id }: TaskRow, picture: Picture) {
  const { mediaType, bytes } = picture;
  const blobKey = `sessions/${session_id}/seen/${newId()}.${mediaType.slice('image/'.length)}`;
  try {
    await store.blobs.put(blobKey, bytes);
    return { blobKey, contentType: mediaType };
  } catch (error) {
    log.warn({ err: error, task_id: id }, 'a picture for a model could not be kept');
    return undefined;
  }
}
