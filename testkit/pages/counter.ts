import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Site = {
  url: string;
  /** How often each form was sent, by its path, as the site itself saw it. */
  posts: Map<string, number>;
  /** The same one by one, with the epoch of the hand where that was said. */
  sent: { path: string; at: Date; epoch: number | null }[];
  /** The paths that were opened. */
  visits: Set<string>;
  close(): Promise<void>;
};

/** Pages with a form each, which counts how often it was sent and then shows itself again. */
export async function startCountingSite(): Promise<Site> {
  const posts = new Map<string, number>();
  const visits = new Set<string>();
  const sent: Site['sent'] = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site.test');
    if (request.method === 'POST') {
      await drain(request);
      const epoch = Number(request.headers['x-epoch'] ?? Number.NaN);
      sent.push({ path: pathname, at: new Date(), epoch: Number.isNaN(epoch) ? null : epoch });
      posts.set(pathname, (posts.get(pathname) ?? 0) + 1);
      response.writeHead(303, { location: pathname }).end();
      return;
    }
    if (pathname === '/favicon.ico') {
      response.writeHead(404).end();
      return;
    }
    visits.add(pathname);
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>${pathname}</title><h1>Form</h1><form method="post">
      <label>Note <input name="note"></label><button>Send</button></form><p>Ready</p>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    visits,
    sent,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function drain(request: IncomingMessage): Promise<void> {
  for await (const _ of request);
}
