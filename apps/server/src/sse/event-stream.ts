// A server-sent event stream to one viewer, and the encoding of its events. Ten thousand may be open at once.

import type { ServerResponse } from 'node:http';
import type { CountedAnswer } from '../delivery/counted-answer.ts';
import { standardHeaders } from '../delivery/standard-headers.ts';
import { startBeating } from './heartbeats.ts';

/** One event as bytes, whole or in pieces: large bytes are not copied for each viewer. */
export type Encoded = Buffer | readonly Buffer[];

export type EventStream = {
  /** Whether the viewer has left, or the stream was closed. */
  isEnded(): boolean;
  /** Calls when it ends. Streams are many, and an AbortSignal for each would take more memory than the rest of it. */
  onEnd(callback: () => void): void;
  /** Never skipped: a viewer that does not read is cut, and resumes from the last id it saw. */
  send(event: { id?: string; type: string; data: object }): void;
  /** The same for bytes that are shared with other viewers. */
  sendEncoded(event: Encoded): void;
  /** The newest wins: while an earlier one is being sent, only the last offer to each slot is kept. */
  offer(event: Encoded, slot?: string): void;
  close(): void;
};

const retryMs = 2000;
/** How many bytes of each stream one viewer may leave unread before it is cut. */
const maxUnreadBytes = 1024 * 1024;
/** For a response that carries several streams, at most this many times that. */
const maxUnreadStreams = 8;

type StreamOptions = { requestId: string; streams?: number; counted: CountedAnswer };

export function openEventStream(
  response: ServerResponse,
  { requestId, streams = 1, counted }: StreamOptions,
): EventStream {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...standardHeaders,
    'x-request-id': requestId,
  });
  response.socket?.setNoDelay(true);
  response.write(`retry: ${retryMs}\n\n`);
  return new ResponseStream(response, counted, maxUnreadBytes * Math.min(streams, maxUnreadStreams));
}

/** A class: streams are many, and each would have closures of its own. */
class ResponseStream implements EventStream {
  readonly #response: ServerResponse;
  readonly #counted: CountedAnswer;
  readonly #maxUnread: number;
  readonly #beating = startBeating(this);
  readonly #callbacks: (() => void)[] = [];
  #isEnded = false;
  /** Frames that wait, in the order in which their slots began to wait, so that each has its turn; made for the first frame. */
  #waiting: Map<string, Encoded> | undefined;
  /** On streams with frames: called when bytes have left. */
  #onSent: (() => void) | undefined;

  constructor(response: ServerResponse, counted: CountedAnswer, maxUnread: number) {
    this.#response = response;
    this.#counted = counted;
    this.#maxUnread = maxUnread;
    const close = () => this.close();
    response.on('close', close);
    response.on('error', close);
    // A viewer that left during authentication emits no second `close`.
    if (response.destroyed) close();
  }

  isEnded(): boolean {
    return this.#isEnded;
  }
  onEnd(callback: () => void): void {
    if (this.#isEnded) callback();
    else this.#callbacks.push(callback);
  }
  send(event: { id?: string; type: string; data: object }): void {
    this.sendEncoded(encodeEvent(event));
  }
  beat(): void {
    this.sendEncoded(stillHere);
  }

  sendEncoded(event: Encoded): void {
    if (this.#isEnded) return;
    const unread = this.#response.writableLength;
    // Before this event is added: its own size is no sign that the viewer does not read.
    if (unread > this.#maxUnread || !this.#counted.queue(sizeOf(event))) this.close();
    else this.#write(event, unread);
  }
  #write(event: Encoded, unread: number): void {
    if (Buffer.isBuffer(event)) this.#writeWhole(event, unread);
    else this.#writePieces(event);
    this.#counted.note();
  }
  #writeWhole(bytes: Buffer, unread: number): void {
    const { socket, chunkedEncoding } = this.#response;
    const chunk = chunkedEncoding ? chunks.get(bytes) : undefined;
    // Straight to the socket, where nothing of the response waits before it.
    if (chunk && socket && unread === socket.writableLength) socket.write(chunk, this.#onSent);
    else this.#response.write(bytes, this.#onSent);
  }
  #writePieces(pieces: readonly Buffer[]): void {
    this.#response.cork();
    for (const [index, piece] of pieces.entries())
      this.#response.write(piece, index === pieces.length - 1 ? this.#onSent : undefined);
    this.#response.uncork();
  }

  offer(event: Encoded, slot = ''): void {
    const isFirst = !this.#waiting;
    this.#waiting ??= new Map();
    // `drain` comes only after a full buffer, and the last frame must be sent in any case.
    this.#onSent ??= () => this.#sendWaiting();
    const isClear = this.#response.writableLength === 0;
    if (!isClear) this.#waiting.set(slot, event);
    if (isClear) this.#sendFrame(event, slot);
    // The bytes being sent now have no callback, so a small comment behind them gets one.
    else if (isFirst) this.sendEncoded(framesCome);
  }
  #sendWaiting(): void {
    const [next] = this.#waiting ?? [];
    if (!next || this.#response.writableLength > 0) return;
    this.#waiting?.delete(next[0]);
    this.#sendFrame(next[1], next[0]);
  }
  /** Without room for it, the frame waits for a newer one or for the next write. */
  #sendFrame(event: Encoded, slot: string): void {
    if (this.#isEnded) return;
    if (this.#counted.queue(sizeOf(event))) this.#write(event, this.#response.writableLength);
    else this.#waiting?.set(slot, event);
  }

  close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#beating.delete(this);
    for (const callback of this.#callbacks) callback();
    const response = this.#response;
    response.end();
    // Written bytes may still be read, for a second.
    setTimeout(() => response.destroy(), 1000).unref();
  }
}

const sizeOf = (event: Encoded): number =>
  Buffer.isBuffer(event) ? event.length : event.reduce((sum, { length }) => sum + length, 0);

/** Encoded events as HTTP chunks, framed once for all viewers. */
const chunks = new WeakMap<Buffer, Buffer>();
const lineEnd = '\r\n';

export function encodeEvent({ id, type, data }: { id?: string; type: string; data: object }): Buffer {
  const name = id === undefined ? '' : `id: ${id}\n`;
  return encode(`${name}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

const encode = (text: string): Buffer => frameAsChunk(Buffer.byteLength(text), (chunk, at) => chunk.write(text, at));

/** On a chunked response the whole chunk is written. */
function frameAsChunk(size: number, fill: (chunk: Buffer, at: number) => void): Buffer {
  const head = `${size.toString(16)}${lineEnd}`;
  const chunk = Buffer.allocUnsafeSlow(head.length + size + lineEnd.length);
  chunk.write(head, 'latin1');
  fill(chunk, head.length);
  chunk.write(lineEnd, head.length + size, 'latin1');
  const bytes = chunk.subarray(head.length, head.length + size);
  chunks.set(bytes, chunk);
  return bytes;
}

/** A multiple of three, and small, because long strings are expensive to collect. */
const sliceBytes = 12 * 1024;

/** An event with bytes as base64 between two pieces of its JSON, made once for all viewers. */
export function encodeWithBytes(
  type: string,
  { before, image, after }: { before: string; image: Uint8Array; after: string },
): Buffer {
  const [head, tail] = [Buffer.from(`event: ${type}\ndata: ${before}`), Buffer.from(`${after}\n\n`)];
  const size = head.length + Math.ceil(image.length / 3) * 4 + tail.length;
  const bytes = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  return frameAsChunk(size, (chunk, at) => {
    let offset = at + head.copy(chunk, at);
    for (let i = 0; i < bytes.length; i += sliceBytes)
      offset += chunk.write(bytes.toString('base64', i, i + sliceBytes), offset, 'latin1');
    tail.copy(chunk, offset);
  });
}

const stillHere = encode(': still here\n\n');
const framesCome = encode(': frames\n\n');

const dataField = 'data: ';
const bundledEnd = Buffer.from('}\n\n');

/** The same event as one of several streams in a response. Its data is not copied. */
export function encodeBundled(kind: string, stream: string, encoded: Buffer): readonly Buffer[] {
  const at = encoded.indexOf(dataField);
  const [, cursor = null] = /^id: (.*)$/m.exec(encoded.toString('utf8', 0, at)) ?? [];
  const head = JSON.stringify({ type: kind, stream, cursor }).slice(0, -1);
  const json = encoded.subarray(at + dataField.length, -2);
  return [Buffer.from(`event: ${kind}\n${dataField}${head},"event":`), json, bundledEnd];
}
