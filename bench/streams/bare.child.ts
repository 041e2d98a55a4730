// What sending the same events to many costs at least: node:http, a list of responses for each stream, and nothing
// around them. Told by its parent what to say.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Once, or again and again: what is sent again each time would cost more on its way here. */
export type StreamOrder = { stream: string; bytes: string /** 0 ends it. */; everyMs?: number };

const heartbeatMs = 15_000;
const streams = new Map<string, Set<ServerResponse>>();

const server = createServer((request, response) => {
  const stream = request.url ?? '/';
  const listeners = streams.get(stream) ?? new Set();
  streams.set(stream, listeners.add(response));
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
  response.write('retry: 2000\n\n');
  const heartbeat = setInterval(() => response.write(': still here\n\n'), heartbeatMs);
  response.on('close', () => {
    clearInterval(heartbeat);
    listeners.delete(response);
  });
});

let repeating: NodeJS.Timeout | undefined;
process.on('message', ({ stream, bytes, everyMs }: StreamOrder) => {
  const shared = Buffer.from(bytes);
  const say = () => {
    for (const response of streams.get(stream) ?? []) response.write(shared);
  };
  clearInterval(repeating);
  if (everyMs === undefined) say();
  else if (everyMs > 0) repeating = setInterval(say, everyMs);
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
