import type { ServerResponse } from 'node:http';
import { startBeating } from './heartbeats.ts';

/** A server-sent event stream to one viewer. */
export type EventStream = {
  /** Whether the viewer has left, or the stream was closed. */
  isEnded(): boolean;
  /** Calls when it ends. Streams are many: a signal for each would weigh more than all else of it. */
  onEnd(callback: () => void): void;
  /** Never skipped: a viewer that does not read them is cut, and resumes from the last id it saw. */
  send(event: { id?: string; type: string; data: object }): void;
  /** The same for bytes that others are sent as well. */
  sendEncoded(bytes: Buffer): void;
  /** The newest wins: while an earlier one is still on its way, only the last offer to each slot is kept. */
  offer(bytes: Buffer, slot?: string): void;
  close(): void;
};

const retryMs = 2000;
/** What one viewer may leave unread of each stream before it is cut. */
const maxUnreadBytes = 1024 * 1024;

export function openEventStream(response: ServerResponse, requestId: string, streams = 1): EventStream {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  });
  response.socket?.setNoDelay(true);
  response.write(`retry: ${retryMs}\n\n`);
  return new ResponseStream(response, maxUnreadBytes * streams);
}

/** A class: ten thousand streams share its methods, where closures would be each one's own. */
class ResponseStream implements EventStream {
  readonly #response: ServerResponse;
  readonly #maxUnread: number;
  readonly #beating = startBeating(this);
  readonly #callbacks: (() => void)[] = [];
  #isEnded = false;
  /** In the order in which the slots began to wait, so that each has its turn; made for the first frame. */
  #waiting: Map<string, Buffer> | undefined;
  /** Where there are frames: called when something has left. */
  #onSent: (() => void) | undefined;

  constructor(response: ServerResponse, maxUnread: number) {
    this.#response = response;
    this.#maxUnread = maxUnread;
    const close = () => this.close();
    response.on('close', close);
    response.on('error', close);
    // One that left while it was asked who comes has said so already.
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

  sendEncoded(bytes: Buffer): void {
    if (this.#isEnded) return;
    const unread = this.#response.writableLength;
    // Before this one is added: however large it is, it is no sign that the viewer does not read.
    if (unread > this.#maxUnread) this.close();
    else this.#write(bytes, unread);
  }
  #write(bytes: Buffer, unread: number): void {
    const { socket, chunkedEncoding } = this.#response;
    const chunk = chunkedEncoding ? chunks.get(bytes) : undefined;
    // Straight to the socket, where nothing of the response waits before it.
    if (chunk && socket && unread === socket.writableLength) socket.write(chunk, this.#onSent);
    else this.#response.write(bytes, this.#onSent);
  }

  offer(bytes: Buffer, slot = ''): void {
    const isFirst = !this.#waiting;
    this.#waiting ??= new Map();
    // `drain` would tell only of a buffer that had been full, and the last frame is due.
    this.#onSent ??= () => this.#sendWaiting();
    const isClear = this.#response.writableLength === 0;
    if (!isClear) this.#waiting.set(slot, bytes);
    if (isClear) this.sendEncoded(bytes);
    // What is on its way now was not asked to tell when it has left; something small behind it is.
    else if (isFirst) this.sendEncoded(framesCome);
  }
  #sendWaiting(): void {
    const [next] = this.#waiting ?? [];
    if (!next || this.#response.writableLength > 0) return;
    this.#waiting?.delete(next[0]);
    this.sendEncoded(next[1]);
  }

  close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#beating.delete(this);
    for (const callback of this.#callbacks) callback();
    const response = this.#response;
    response.end();
    // What was written may still be read; a viewer that reads nothing is not waited for.
    setTimeout(() => response.destroy(), 1000).unref();
  }
}

/** Encoded events as chunks of a response, framed once for everybody who is sent them. */
const chunks = new WeakMap<Buffer, Buffer>();
const lineEnd = '\r\n';

export function encodeEvent({ id, type, data }: { id?: string; type: string; data: object }): Buffer {
  const name = id === undefined ? '' : `id: ${id}\n`;
  return encode(`${name}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

const encode = (text: string): Buffer => frameAsChunk(Buffer.byteLength(text), (chunk, at) => chunk.write(text, at));

/** Whoever is sent the bytes over a chunked response is sent the whole chunk. */
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

/** A multiple of three, and little enough to be forgotten cheaply: long strings are collected with all else. */
const sliceBytes = 12 * 1024;

/** An event with bytes as base64 between two pieces of its JSON. */
export function encodeWithBytes(
  type: string,
  { before, image, after }: { before: string; image: Uint8Array; after: string },
): Buffer {
  const [head, tail] = [Buffer.from(`event: ${type}\ndata: ${before}`), Buffer.from(`${after}\n\n`)];
  const size = head.length + Math.ceil(image.length / 3) * 4 + tail.length;
  const bytes = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  return frameAsChunk(size, (chunk, at) => {
    let place = at + head.copy(chunk, at);
    for (let i = 0; i < bytes.length; i += sliceBytes)
      place += chunk.write(bytes.toString('base64', i, i + sliceBytes), place, 'latin1');
    tail.copy(chunk, place);
  });
}

const stillHere = encode(': still here\n\n');
const framesCome = encode(': frames\n\n');

const dataField = 'data: ';

/** The same event again, as one of several streams that share a response. */
export function encodeBundled(kind: string, stream: string, encoded: Buffer): Buffer {
  const at = encoded.indexOf(dataField);
  const [, cursor = null] = /^id: (.*)$/m.exec(encoded.toString('utf8', 0, at)) ?? [];
  const head = JSON.stringify({ type: kind, stream, cursor }).slice(0, -1);
  const json = encoded.subarray(at + dataField.length, -2);
  return Buffer.concat([Buffer.from(`event: ${kind}\n${dataField}${head},"event":`), json, Buffer.from('}\n\n')]);
}
