// Pages of three origins for one test: our own, another port of its host, and another host.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReportedText = { origin: 'here' | 'near' | 'far'; text: string };

export type Origins = {
  here: string;
  /** The same host on another port. */
  near: string;
  /** Another host. */
  far: string;
  /** What pages told where they came from, by a request to `/told?…`. */
  told: ReportedText[];
  /** Serves these from now on, by path; {here}, {near} and {far} in them are the origins. */
  serve(pages: Record<string, string>): void;
  close(): Promise<void>;
};

export async function startOrigins(): Promise<Origins> {
  let pages: Record<string, string> = {};
  const told: ReportedText[] = [];
  const origins = { here: '', near: '', far: '' };

  const answer = (isNear: boolean) =>
    createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://any');
      const origin = isNear ? 'near' : request.headers.host?.startsWith('localhost') ? 'far' : 'here';
      if (url.pathname === '/told') {
        told.push({ origin, text: decodeURIComponent(url.search.slice(1)) });
        return void response.writeHead(204).end();
      }
      const html = pages[url.pathname];
      if (html === undefined) return void response.writeHead(404).end();
      const filled = Object.entries(origins).reduce((all, [name, at]) => all.replaceAll(`{${name}}`, at), html);
      response.setHeader('content-type', 'text/html; charset=utf-8').end(`<!doctype html>${telling}${filled}`);
    });
  const listen = async (server: Server) => {
    await new Promise<void>((resolve) => server.listen(0, resolve));
    // Listening on TCP, so the address is of this kind.
    return (server.address() as AddressInfo).port;
  };
  const servers = [answer(false), answer(true)] as const;
  const [port, nearPort] = await Promise.all([listen(servers[0]), listen(servers[1])]);
  origins.here = `http://127.0.0.1:${port}`;
  origins.near = `http://127.0.0.1:${nearPort}`;
  origins.far = `http://localhost:${port}`;

  return {
    ...origins,
    told,
    serve(next) {
      pages = next;
    },
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** For the pages: says something to where the page is from. */
const telling = `<script>const tell = (text) => { new Image().src = '/told?' + encodeURIComponent(text) }</script>`;
