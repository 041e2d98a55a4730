import type { ServerResponse } from 'node:http';

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
const heartbeatMs = 15_000;
/** What one viewer may leave unread of each stream before it is cut. */
const maxUnreadBytes = 1024 * 1024;

export function openEventStream(response: ServerResponse, requestId: string, streams = 1): EventStream {
  const onEnd: (() => void)[] = [];
  let isEnded = false;
  /** In the order in which the slots began to wait, so that each has its turn; made for the first frame. */
  let waiting: Map<string, Buffer> | undefined;

  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  });
  response.socket?.setNoDelay(true);
  response.write(`retry: ${retryMs}\n\n`);
  const heartbeat = setInterval(() => write(': still here\n\n'), heartbeatMs);

  function write(text: string | Buffer): void {
    if (isEnded) return;
    // Before this one is added: however large it is, it is no sign that the viewer does not read.
    if (response.writableLength > maxUnreadBytes * streams) close();
    // Whoever never had a frame is not asked for when this has left: most follow only what is logged.
    else if (!sendChunk(text)) response.write(text, waiting && sendWaiting);
  }
  /** Straight to the socket, where nothing of the response waits before it. */
  function sendChunk(text: string | Buffer): boolean {
    const { socket } = response;
    const chunk = response.chunkedEncoding && typeof text !== 'string' ? chunks.get(text) : undefined;
    if (!chunk || !socket || response.writableLength > socket.writableLength) return false;
    socket.write(chunk, waiting && sendWaiting);
    return true;
  }
  /** Called when something has left: `drain` would tell only of a buffer that had been full, and the last frame is due. */
  function sendWaiting(): void {
    const [next] = waiting ?? [];
    if (!next || response.writableLength > 0) return;
    waiting?.delete(next[0]);
    write(next[1]);
  }
  function close(): void {
    if (isEnded) return;
    isEnded = true;
    clearInterval(heartbeat);
    for (const callback of onEnd) callback();
    response.end();
    // What was written may still be read; a viewer that reads nothing is not waited for.
    setTimeout(() => response.destroy(), 1000).unref();
  }
  response.on('close', close);
  response.on('error', close);
  // One that left while it was asked who comes has said so already.
  if (response.destroyed) close();

  return {
    isEnded: () => isEnded,
    onEnd: (callback) => (isEnded ? callback() : void onEnd.push(callback)),
    send: ({ id, type, data }) => write(encodeEvent({ id, type, data })),
    sendEncoded: write,
    offer(bytes, slot = '') {
      const isFirst = !waiting;
      waiting ??= new Map();
      if (response.writableLength === 0) return write(bytes);
      waiting.set(slot, bytes);
      // What is on its way now was not asked to tell when it has left; something small behind it is.
      if (isFirst) write(': frames\n\n');
    },
    close,
  };
}

/** Encoded events as chunks of a response, framed once for everybody who is sent them. */
const chunks = new WeakMap<Buffer, Buffer>();
const lineEnd = '\r\n';

export function encodeEvent({ id, type, data }: { id?: string; type: string; data: object }): Buffer {
  const name = id === undefined ? '' : `id: ${id}\n`;
  const text = `${name}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
  const size = Buffer.byteLength(text);
  const head = `${size.toString(16)}${lineEnd}`;
  const chunk = Buffer.allocUnsafeSlow(head.length + size + lineEnd.length);
  chunk.write(head + text + lineEnd);
  const bytes = chunk.subarray(head.length, head.length + size);
  chunks.set(bytes, chunk);
  return bytes;
}

const dataField = 'data: ';

/** The same event again, as one of several streams that share a response. */
export function encodeBundled(kind: string, stream: string, encoded: Buffer): Buffer {
  const at = encoded.indexOf(dataField);
  const [, cursor = null] = /^id: (.*)$/m.exec(encoded.toString('utf8', 0, at)) ?? [];
  const head = JSON.stringify({ type: kind, stream, cursor }).slice(0, -1);
  const json = encoded.subarray(at + dataField.length, -2);
  return Buffer.concat([Buffer.from(`event: ${kind}\n${dataField}${head},"event":`), json, Buffer.from('}\n\n')]);
}
