import type { ChatRequest } from '@pilothouse/contract';
import { blobsOf, newId, type Store } from '@pilothouse/store';

/** Puts down what a task was given to send, before any row points to it: bytes that nobody points to do no harm. */
export async function keepFiles(store: Store, sessionId: string, files: NonNullable<ChatRequest['files']>) {
  return Promise.all(
    files.map(async ({ name, content_base64 }) => {
      const id = newId();
      const bytes = Buffer.from(content_base64, 'base64');
      const blob_key = `${blobsOf(sessionId)}/files/${id}`;
      await store.blobs.put(blob_key, bytes);
      return { id, name, content_type: 'application/octet-stream', byte_len: bytes.length, blob_key };
    }),
  );
}
