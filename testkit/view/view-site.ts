// Serves the pages that views are measured on. The hard page has a frame from another host: `localhost` beside 127.0.0.1.

import { createServer } from 'node:http';
import { listen } from '../listen.ts';
import { articlePage, listPage, tablePage } from './big-pages.ts';
import { hardPage, paymentPage } from './hard-page.ts';

export async function startViewSite() {
  const pages: Record<string, (other: string) => string> = {
    '/hard': (other) => hardPage(`${other}/payment`),
    '/payment': () => paymentPage,
    '/list': listPage,
    '/table': tablePage,
    '/article': articlePage,
  };
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (!page) return void response.writeHead(404).end();
    const { port } = new URL(`http://${request.headers.host}`);
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page(`http://localhost:${port}`));
  });
  return listen(server);
}
