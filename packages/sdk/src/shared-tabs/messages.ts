// What the tabs of a browser and the worker that they share say to each other.
import type { Problem } from '@pilothouse/contract';
import type { ConnectionState, StreamEvent } from '../stream.ts';

/** An end of a channel, as browsers and Node have it. */
export type Port = {
  postMessage(message: unknown): void;
  onmessage: ((event: { data: unknown }) => void) | null;
};

/** What `SharedWorker` is, to whoever talks with it. */
export type SharedWorkerLike = { port: Port; onerror: ((event: unknown) => void) | null };

/** A stream, and whose: those of one login at one server share a response. */
export type Wanted = {
  baseUrl: string;
  login: string;
  kind: 'live' | 'task';
  id: string;
  cursor: string | undefined;
};

/** What lets a request in, or why there is nothing: the login is over, or could not be renewed just now. */
export type Proof = { headers: Record<string, string> } | 'none' | 'later';

/** `of` is the number under which the tab follows. */
export type FromTab =
  /** A lock that the tab holds for as long as it lives; none, where there are no locks. */
  | { type: 'join'; lock: string | undefined }
  | { type: 'follow'; of: number; wanted: Wanted }
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
  /** `refused` names what the server no longer takes. */
  | { type: 'prove'; ask: number; login: string; refused: string | undefined }
  | ({ of: number } & ToFollower);

export type ToFollower =
  | { type: 'event'; event: StreamEvent; cursor: string | undefined }
  | { type: 'state'; state: ConnectionState }
  | { type: 'refused'; refusal: Refusal }
  /** The tab left too much unread, or was not heard: it goes on by itself from the last cursor that it used. */
  | { type: 'behind' };
