// One stream that reconnects. The shared worker loads this file and cannot resolve packages: import only files.
import { type Clock, systemClock } from '../common/clock.ts';
import { ApiError, ConnectionError, willPass } from '../common/errors.ts';
import { createSseParser, type SseParser } from './sse.ts';

export type ConnectionState = 'connected' | 'reconnecting';

export type StreamOptions = {
  /** Ends the stream: the loop over it throws the signal's reason. */
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** Called on every change, to show it. A lost connection is not an error: the stream goes on. */
  onConnection?: (state: ConnectionState) => void;
};

/** Where a connection begins: at the caller's cursor, or after the last event that arrived. */
export type Position = { cursor?: string; lastEventId?: string };

export type Following = Pick<StreamOptions, 'signal' | 'onConnection'> & {
  connect: (position: Position, signal: AbortSignal) => Promise<Response>;
  kinds: ReadonlySet<string>;
  cursor?: string;
  /** The server sends a comment every 15 s; a connection silent for longer than this is dead. */
  silenceMs?: number;
  random?: () => number;
  /** The pause before the next connection. */
  sleep?: Clock['sleep'];
};

export type StreamEvent = { type: string };

/**
 * The events of a stream, over as many connections as needed, without gap or repeat. Ends with the event `end`, or with
 * `reset`, after which the stream cannot continue. Throws if the server refuses it for good.
 */
export async function* follow({
  connect,
  kinds,
  cursor,
  signal,
  onConnection,
  silenceMs = 45_000,
  random = Math.random,
  sleep = systemClock.sleep,
}: Following): AsyncGenerator<StreamEvent, void, undefined> {
  const position: Position = { cursor };
  let retryMs = 2000;
  let failures = 0;
  let state: ConnectionState | undefined;
  const announce = (next: ConnectionState) => {
    if (next !== state) onConnection?.(next);
    state = next;
  };

  for (;;) {
    const connection = openConnection((own) => connect(position, own), { signal, silenceMs });
    const openedAt = Date.now();
    let waitMs = 0;
    try {
      for await (const { messages, parser } of connection) {
        announce('connected');
        retryMs = parser.retryMs ?? retryMs;
        if (parser.lastId !== undefined) {
          position.lastEventId = parser.lastId;
          position.cursor = undefined;
        }
        if (messages.length > 0) failures = 0;
        for (const message of messages) {
          const event = readEvent(message);
          // A newer server may send kinds that this client has no type for.
          if (!kinds.has(event.type)) continue;
          yield event;
          if (event.type === 'end' || event.type === 'reset') return;
        }
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!willPass(error)) throw error;
      if (error instanceof ApiError) waitMs = (error.retryAfterSecs ?? 0) * 1000;
    }
    announce('reconnecting');
    if (Date.now() - openedAt > retryMs) failures = 0;
    await sleep(waitMs + backoffMs(failures, retryMs) * (0.5 + random() / 2), signal);
    failures += 1;
  }
}

/** Starts well below what the server asked for, because most interruptions are short, and ends well above it. */
function backoffMs(failures: number, retryMs: number): number {
  return Math.min((retryMs / 8) * 2 ** failures, retryMs * 4);
}

function readEvent(message: string): StreamEvent {
  try {
    const event: unknown = JSON.parse(message);
    if (typeof event === 'object' && event !== null && 'type' in event) return event as StreamEvent;
  } catch {}
  // Not retried: the server would send it again. Not skipped: the gap would go unnoticed.
  throw new TypeError('the stream carries what is no event');
}

type Arrival = { messages: string[]; parser: SseParser };

/** The messages of one connection, until it ends. The first arrival, without messages, shows that it is open. */
async function* openConnection(
  connect: (signal: AbortSignal) => Promise<Response>,
  { signal, silenceMs }: { signal?: AbortSignal; silenceMs: number },
): AsyncGenerator<Arrival, void, undefined> {
  const own = new AbortController();
  const both = signal ? AbortSignal.any([signal, own.signal]) : own.signal;
  const heard = async <T>(waiting: Promise<T>): Promise<T> => {
    const silence = new ConnectionError(`silent for ${silenceMs / 1000} s`);
    const timer = setTimeout(() => own.abort(silence), silenceMs);
    try {
      return await waiting;
    } finally {
      clearTimeout(timer);
    }
  };

  try {
    both.throwIfAborted();
    const response = await heard(connect(both));
    const type = response.headers.get('content-type') ?? 'nothing';
    if (!response.body || !type.startsWith('text/event-stream')) throw new ConnectionError(`answered with ${type}`);
    const parser = createSseParser();
    const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
    yield { messages: [], parser };
    for (;;) {
      const { done, value } = await heard(reader.read()).catch((error: unknown) => {
        throw new ConnectionError('the stream broke off', error);
      });
      if (done) return;
      yield { messages: parser.push(value), parser };
    }
  } finally {
    own.abort();
  }
}
