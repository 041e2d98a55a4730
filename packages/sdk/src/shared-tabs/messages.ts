// The messages between the tabs of a browser and their shared worker.
import type { BundledKind, Problem } from '@pilothouse/contract';
import type { ConnectionState, StreamEvent } from '../streams/stream.ts';

/** An end of a channel, as browsers and Node have it. */
export type Port = {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
};

/** The part of `SharedWorker` that a tab uses. */
export type SharedWorkerLike = { port: Port; onerror: ((event: unknown) => void) | null };

/** A stream. Streams with the same login at the same server share a response. */
export type StreamRequest = {
  baseUrl: string;
  login: string;
  kind: BundledKind;
  /** Of a session or a task; `me` for the inbox. */
  id: string;
  cursor: string | undefined;
};

/** The headers that authenticate a request; `none` if the login has ended, `later` if it could not be renewed now. */
export type Proof = { headers: Record<string, string> } | 'none' | 'later';

/** `of` is the number under which the tab follows. */
export type FromTab =
  /** A lock that the tab holds as long as it lives; undefined if there are no locks. */
  | { type: 'join'; lock: string | undefined }
  | { type: 'follow'; of: number; wanted: StreamRequest }
  /** The tab has used an event, and has room for another. */
  | { type: 'taken'; of: number; isFrame: boolean }
  | { type: 'leave'; of: number }
  | { type: 'proof'; ask: number; proof: Proof }
  | { type: 'here' };

export type Refusal = { problem: Problem | undefined; message: string; retryAfterSecs: number | undefined };

export type FromWorker =
  | { type: 'joined' }
  /** To be answered with `here`. */
  | { type: 'ping' }
  /** `refused` is the authorization that the server no longer accepts. */
  | { type: 'prove'; ask: number; login: string; refused: string | undefined }
  | ({ of: number } & ToFollower);

export type ToFollower =
  | { type: 'event'; event: StreamEvent; cursor: string | undefined }
  | { type: 'state'; state: ConnectionState }
  | { type: 'refused'; refusal: Refusal }
  /** The tab left too much unread, or was silent: it continues by itself from the last cursor that it used. */
  | { type: 'behind' };
