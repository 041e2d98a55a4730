// A server with one task whose answers a test scripts: each route has a list, and the last of it is given again and again.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ErrorCode, errors } from '@pilothouse/contract';

type Seen = { path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> };
type Reply = (response: ServerResponse) => void;

export const reply =
  (body: object, status = 200): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
export const refuse =
  (code: ErrorCode, headers: Record<string, string> = {}): Reply =>
  (response) => {
    const { status, title } = errors[code];
    const problem = { type: 'about:blank', title, status, detail: title, success: false, code, request_id: 'r' };
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers }).end(JSON.stringify(problem));
  };
export const breakOff: Reply = (response) => response.destroy();
/** Events of a stream; each has its place in the list as its id. */
export const events =
  (...list: { type: string; [field: string]: unknown }[]): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [index, event] of list.entries()) response.write(`id: c${index}\ndata: ${JSON.stringify(event)}\n\n`);
    // Left open without `end`, as a server does.
    if (list.some(({ type }) => type === 'end' || type === 'reset')) response.end();
  };

export async function startTaskServer() {
  const seen: Seen[] = [];
  const answers = new Map<string, Reply[]>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const path = new URL(request.url ?? '/', 'http://test').pathname;
    seen.push({ path: request.url ?? '', headers: request.headers, body: text ? JSON.parse(text) : {} });
    const list = answers.get(`${request.method} ${path}`) ?? [refuse('not_found')];
    (list.length > 1 ? list.shift() : list[0])?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    /** The requests to this path, which may have a query. */
    to: (path: string) => seen.filter((one) => one.path.split('?')[0] === path),
    on: (route: string, ...replies: Reply[]) => void answers.set(route, replies),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
