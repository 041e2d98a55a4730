import { AppError, type ChatRequest } from '@pilothouse/contract';
import { blobsOf, newId, type Store } from '@pilothouse/store';

type Files = NonNullable<ChatRequest['files']>;
type GivenFile = { id: string; name: string; content_type: string; byte_len: number; blob_key: string };

/**
 * Puts down what a task was given to send, then has `work` make the rows that point to it, which answers whether it did.
 * Where it did not or was refused, nothing stays: else the disk would fill with what nobody finds. After any other
 * failure the rows may stand all the same, and bytes that nobody points to do less harm than a row that points to nothing.
 */
export async function withFiles<T>(
  { blobs }: Pick<Store, 'blobs'>,
  sessionId: string,
  files: Files,
  work: (given: GivenFile[]) => Promise<{ value: T; isKept: boolean }>,
): Promise<T> {
  const given = files.map(({ name, content_base64 }) => {
    const id = newId();
    const bytes = Buffer.from(content_base64, 'base64');
    const blob_key = `${blobsOf(sessionId)}/files/${id}`;
    return { bytes, row: { id, name, content_type: 'application/octet-stream', byte_len: bytes.length, blob_key } };
  });
  const remove = () => Promise.all(given.map(({ row }) => blobs.removeAll(row.blob_key)));

  // Each to its end: what is still being written could not be removed.
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
