// The observations, pictures and files of a task.

import { AppError, ImageType, isId, type QueryOf, type ReplyOf, type routes } from '@pilothouse/contract';
import type { Caller, ObservationRow, Store } from '@pilothouse/store';
import { blobOf, Pictures } from '../http/embedded.ts';
import { type EmbeddedImage, viewObservation, viewScreenshot } from './tasks.view.ts';
import type { RequireTask } from './visible-task.ts';

type Routes = typeof routes;
type Options = { store: Store; requireTask: RequireTask };

/** How many bytes of pictures one page may carry. A page with more ends early, and the next one goes on. */
const picturesBytes = 4 * 1024 * 1024;

export function createTaskPictures({ store, requireTask }: Options) {
  const pictureOf = (row: ObservationRow) =>
    row.blob_key && !row.file_id ? blobOf(store.blobs, row.blob_key) : Promise.resolve(undefined);
  const embed = async (row: ObservationRow, pictures: Pictures): Promise<EmbeddedImage> => {
    const picture = await pictureOf(row);
    if (!picture) return undefined;
    if (picture.byteLength > picturesBytes) return { data_omitted: 'too_large' };
    return { data_base64: pictures.embed(picture) };
  };

  return {
    async observations(caller: Caller, id: string, { limit, cursor, include }: QueryOf<Routes['listObservations']>) {
      if (!isId(id)) throw new AppError('malformed_id');
      const task = await requireTask(caller, id);
      const maxBytes = include === 'image' ? picturesBytes : undefined;
      const { rows, nextCursor } = await store.observations.listOf(task.id, { limit, cursor, maxBytes });
      const pictures = new Pictures();
      const embedded = include === 'image' ? await Promise.all(rows.map((row) => embed(row, pictures))) : [];
      const observations = rows.map((row, index) => viewObservation(row, embedded[index]));
      const data = { task_id: task.id, observations, next_cursor: nextCursor };
      return { pictures, reply: { success: true, data } satisfies ReplyOf<Routes['listObservations']> };
    },

    /** The picture of one observation. */
    async image(caller: Caller, id: string, observationId: string) {
      const task = await requireTask(caller, id);
      const row = isId(observationId) ? await store.observations.ofTask(task.id, observationId) : undefined;
      const type = ImageType.safeParse(row?.content_type);
      // A download is a file, whatever content type it claims.
      if (!row?.blob_key || row.file_id || !type.success) throw new AppError('not_found');
      const bytes = await blobOf(store.blobs, row.blob_key);
      if (!bytes) throw new AppError('gone');
      return { bytes, contentType: type.data };
    },

    /** The latest picture of the task. */
    async screenshot(caller: Caller, id: string) {
      const task = await requireTask(caller, id);
      const row = await store.observations.lastPictureOf(task.id);
      const bytes = row && (await pictureOf(row));
      if (!row || !bytes) throw new AppError('not_found');
      const pictures = new Pictures();
      const asJson = () => ({ success: true as const, screenshot: viewScreenshot(row, pictures.embed(bytes)) });
      return { id: row.id, bytes, contentType: ImageType.parse(row.content_type), asJson, pictures };
    },

    async file(caller: Caller, id: string, fileId: string) {
      const task = await requireTask(caller, id);
      const file = isId(fileId) ? await store.files.ofTask(task.id, fileId) : undefined;
      if (!file) throw new AppError('not_found');
      const bytes = file.retention === 'kept' ? await blobOf(store.blobs, file.blob_key) : undefined;
      if (!bytes) throw new AppError('gone');
      return { name: file.name, bytes };
    },
  };
}
export type TaskPictures = ReturnType<typeof createTaskPictures>;
