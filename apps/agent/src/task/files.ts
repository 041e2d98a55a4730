// Moves files between browsers and the store, in pieces.

import {
  type Bus,
  type FileReply,
  fileCommand,
  filePieceBytes,
  type Packed,
  type RequestResult,
  type StoredFile,
} from '@pilothouse/bus';
import { newId, type Store, type TaskRow } from '@pilothouse/store';
import type { BrowserHandle } from '../browsers/handle.ts';
import { isLost, type Outcome } from '../browsers/outcome.ts';
import { type Evidence, FileQuotaExceeded } from '../ledger/evidence.ts';

type Options = { store: Store; bus: Bus; bytesPerUser: number };
type TransferContext = { task: TaskRow; handle: BrowserHandle; signal: AbortSignal };

const pieceMs = 15_000;

export function createFiles({ store, bus, bytesPerUser }: Options) {
  return {
    /** Fetches what a step downloaded; null where the host no longer has it. Throws FileQuotaExceeded before it fetches. */
    async fetch(
      { task, handle, signal }: TransferContext,
      { file_id, name, byte_len }: StoredFile,
    ): Promise<Evidence['file']> {
      if (!(await store.files.wouldFit(task.created_by, [byte_len], bytesPerUser)))
        throw new FileQuotaExceeded(bytesPerUser);
      const to = { host_id: handle.hostId, session_id: task.session_id };
      let isLeft = true;
      async function* pieces() {
        for (let offset = 0; offset < byte_len; ) {
          const packed = { head: { type: 'get', file_id, offset } as const, body: none };
          const result = await bus.request(fileCommand, to, packed, { timeoutMs: pieceMs, signal });
          // The attempt stays open, and the file is fetched when the host can be reached and has its lease again.
          if (isOnlyAway(result)) throw new Error('the host could not be reached for the file');
          isLeft = result.ok && result.reply.head.ok && result.reply.body.length > 0;
          if (!result.ok || !isLeft) return;
          yield result.reply.body.subarray(0, byte_len - offset);
          offset += result.reply.body.length;
        }
      }
      const id = newId();
      const blobKey = `sessions/${task.session_id}/files/${id}`;
      try {
        await store.blobs.write(blobKey, pieces(), byte_len);
      } catch (error) {
        if (isLeft) throw error;
        return null;
      }
      return { id, name, blobKey, byteLen: byte_len };
    },

    /** Sends the file of this name to the browser's host, or returns why not. Does not touch the page. */
    async send({ task, handle, signal }: TransferContext, name: string): Promise<UploadFailure | undefined> {
      const file = await store.files.named(task, name);
      const size = file && (await store.blobs.sizeOf(file.blob_key));
      if (!file || size === undefined)
        return failed(`no file "${name}" was given to the task or downloaded in its session`);
      const to = { host_id: handle.hostId, session_id: task.session_id };
      let offset = 0;
      for await (const body of inPieces(store.blobs.read(file.blob_key), filePieceBytes)) {
        const head = { type: 'put', epoch: handle.epoch, name, offset } as const;
        offset += body.length;
        const result = await bus.request(fileCommand, to, { head, body }, { timeoutMs: pieceMs, signal });
        if (isOnlyAway(result)) return { ...lost('the host could not be reached'), isUnheard: true, isKept: true };
        if (!result.ok) return lost(result.reason);
        const { head: reply } = result.reply;
        if (!reply.ok && isLost(reply.failure)) return lost(reply.message);
        if (!reply.ok) return failed(`the browser did not take the file "${name}": ${reply.message}`);
      }
      return undefined;
    },
  };
}
export type Files = ReturnType<typeof createFiles>;

/** The same bytes in pieces of one size, the last one shorter. At least one piece: a file may be empty. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const piece of bytes) {
    for (let rest = piece; rest.length > 0; ) {
      // A full piece is only sent when more follows.
      if (heldBytes === size) {
        yield Buffer.concat(held, size);
        [held, heldBytes] = [[], 0];
      }
      const part = rest.subarray(0, size - heldBytes);
      held.push(part);
      heldBytes += part.length;
      rest = rest.subarray(part.length);
    }
  }
  yield Buffer.concat(held, heldBytes);
}

type UploadFailure = Exclude<Outcome, { type: 'acted' }>;

/** The bus is away, or the host has no lease now. It still has the browser. */
const isOnlyAway = (result: RequestResult<Packed<FileReply>>): boolean =>
  result.ok ? !result.reply.head.ok && result.reply.head.failure === 'no_lease' : result.reason === 'disconnected';

const none = new Uint8Array();
// `too_large` for every reason here: it is a failure that is not tried again.
const failed = (message: string): UploadFailure => ({
  type: 'failed',
  failure: 'too_large',
  message,
  hasTouched: false,
});
const lost = (reason: string): Extract<UploadFailure, { type: 'lost' }> => ({
  type: 'lost',
  reason,
  mayHaveActed: false,
  isUnheard: false,
});
