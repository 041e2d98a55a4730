import { type Bus, FILE_PIECE_BYTES, fileCommand, type StoredFile } from '@pilothouse/bus';
import { newId, type Store, type TaskRow } from '@pilothouse/store';
import type { Evidence } from './evidence.ts';
import { type Grip, isLost, type Outcome } from './hands.ts';

type Options = { store: Store; bus: Bus };
type Where = { task: TaskRow; grip: Grip; signal: AbortSignal };

const pieceMs = 15_000;

/** Carries files between the browsers and what is kept, in pieces. */
export function createFiles({ store, bus }: Options) {
  return {
    /** Brings home what a step downloaded; nothing, where the host no longer has it. */
    async fetch({ task, grip, signal }: Where, { file_id, name, byte_len }: StoredFile): Promise<Evidence['file']> {
      const to = { host_id: grip.hostId, session_id: task.session_id };
      const bytes = Buffer.alloc(byte_len);
      for (let offset = 0; offset < byte_len; ) {
        const packed = { head: { type: 'get', file_id, offset } as const, body: none };
        const result = await bus.request(fileCommand, to, packed, { timeoutMs: pieceMs, signal });
        if (!result.ok || !result.reply.head.ok || result.reply.body.length === 0) return null;
        bytes.set(result.reply.body.subarray(0, byte_len - offset), offset);
        offset += result.reply.body.length;
      }
      const id = newId();
      const blobKey = `sessions/${task.session_id}/files/${id}`;
      await store.blobs.put(blobKey, bytes);
      return { id, name, blobKey, byteLen: byte_len };
    },

    /** Puts the file of this name where the browser can read it; or says why not. The page is not touched. */
    async send({ task, grip, signal }: Where, name: string): Promise<NotSent | undefined> {
      const file = await store.files.named(task, name);
      const bytes = file && (await store.blobs.get(file.blob_key));
      if (!bytes) return failed(`no file "${name}" was given to the task or downloaded in its session`);
      const to = { host_id: grip.hostId, session_id: task.session_id };
      // One piece at least: a file may be empty.
      for (let offset = 0; offset === 0 || offset < bytes.length; offset += FILE_PIECE_BYTES) {
        const head = { type: 'put', epoch: grip.epoch, name, offset } as const;
        const body = bytes.subarray(offset, offset + FILE_PIECE_BYTES);
        const result = await bus.request(fileCommand, to, { head, body }, { timeoutMs: pieceMs, signal });
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

type NotSent = Exclude<Outcome, { type: 'acted' }>;

const none = new Uint8Array();
// Too large or not there: another try would not help.
const failed = (message: string): NotSent => ({ type: 'failed', failure: 'too_large', message, hasTouched: false });
const lost = (reason: string): NotSent => ({ type: 'lost', reason, mayHaveActed: false, isUnheard: false });
