// Stands between a process and S3, and changes requests on their way.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { listen } from '../../../testkit/listen.ts';

export type Sent = { method: string; path: string; headers: NodeJS.Dict<string | string[]>; body: Buffer };

const answerMs = 30_000;

/** Passes requests on as they are until it is told how to change them. */
export async function startRelay(to: string) {
  let change = (sent: Sent) => sent;
  const { hostname, port } = new URL(to);

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const { body, ...changed } = change({ method, path, headers, body: await buffer(request) });
    const passed = sendRequest({ hostname, port, ...changed, signal: AbortSignal.timeout(answerMs) });
    passed.on('error', () => response.destroy());
    passed.end(body);
    const [answer] = await once(passed, 'response');
    response.writeHead(answer.statusCode, answer.headers);
    await pipeline(answer, response);
  }
  const server = createServer((request, response) => {
    relay(request, response).catch(() => response.destroy());
  });

  return {
    ...(await listen(server)),
    change(next: typeof change) {
      change = next;
    },
  };
}
