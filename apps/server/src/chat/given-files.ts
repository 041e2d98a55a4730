// Files that come with a chat message, stored before the rows that name them.

import { AppError, type ChatRequest } from '@pilothouse/contract';
import { blobsOf, newId, type Store } from '@pilothouse/store';

type Files = NonNullable<ChatRequest['files']>;
type StoredFile = { id: string; name: string; content_type: string; byte_len: number; blob_key: string };

export const byteLensOf = (files: Files): number[] =>
  files.map(({ content_base64 }) => Buffer.byteLength(content_base64, 'base64'));

/**
 * Stores the files, then has `work` make the rows that point to them; it returns whether it did. If it did not, or refused,
 * the files are removed: blobs without a row would fill the disk. After any other failure the rows may be committed, and
 * a blob without a row does less harm than a row without a blob.
 */
export async function withFiles<T>(
  { blobs }: Pick<Store, 'blobs'>,
  sessionId: string,
  files: Files,
  work: (given: StoredFile[]) => Promise<{ value: T; isKept: boolean }>,
): Promise<T> {
  const given = files.map(({ name, content_base64 }) => {
    const id = newId();
    const bytes = Buffer.from(content_base64, 'base64');
    const blob_key = `${blobsOf(sessionId)}/files/${id}`;
    return { bytes, row: { id, name, content_type: 'application/octet-stream', byte_len: bytes.length, blob_key } };
  });
  const remove = () => Promise.all(given.map(({ row }) => blobs.removeAll(row.blob_key)));

  // All of them to their end: a blob that is still being written cannot be removed.
  const puts = await Promise.allSettled(given.map(({ bytes, row }) => blobs.put(row.blob_key, bytes)));
  const failed = puts.find((put) => put.status === 'rejected');
  if (failed) {
    await remove();
    throw failed.reason;
  }
  try {
    const { value, isKept } = await work(given.map(({ row }) => row));
    if (!isKept) await remove();
    return value;
  } catch (error) {
    if (error instanceof AppError) await remove();
    throw error;
  }
}
