// A shop with one page and one button that commits: an order counts when it arrives.

import { createServer } from 'node:http';
import { listen } from './listen.ts';

const page = `<!doctype html><title>Check out</title><h1>Check out</h1>
<form method=post action="/orders"><p>Brass lantern, <b>48.00 €</b></p><button>Place order</button></form>`;

export async function startCheckout() {
  const orders: string[] = [];
  const site = await listen(
    createServer((request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      if (request.method === 'POST') {
        orders.push(request.url ?? '');
        response.writeHead(303, { location: '/thanks' }).end();
      } else response.end(request.url === '/thanks' ? '<!doctype html><h1>Thank you</h1>' : page);
    }),
  );
  return { ...site, orders };
}
