import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { layout, pricesCsv, pricesPage, products } from './shop.pages.ts';

export type Shop = {
  url: string;
  /** Every request that changed something, in order, as the shop saw it. */
  posts: { path: string; visitor: string; body: string }[];
  close(): Promise<void>;
};

/** A small shop with a basket that lives in a cookie: the open web of tests and demos. */
export async function startShop({ port = 0 } = {}): Promise<Shop> {
  const baskets = new Map<string, string[]>();
  const posts: Shop['posts'] = [];

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://shop.test');
    const visitor = visitorOf(request) ?? randomUUID();
    response.setHeader('set-cookie', `visitor=${visitor}; Path=/; HttpOnly`);
    const basket = baskets.get(visitor) ?? [];
    const show = (title: string, content: string) => html(response, layout(title, content, basket.length));

    if (request.method === 'POST') {
      const body = await bodyOf(request);
      posts.push({ path: url.pathname, visitor, body });
      if (url.pathname === '/basket') baskets.set(visitor, [...basket, new URLSearchParams(body).get('product') ?? '']);
      if (url.pathname === '/orders') baskets.set(visitor, []);
      response.writeHead(303, { location: url.pathname === '/orders' ? '/thanks' : '/basket' }).end();
      return;
    }
    const slowMs = Math.min(Number(url.searchParams.get('slow_ms') ?? 0), 10_000);
    if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
    const found = products.filter(({ name }) =>
      name.toLowerCase().includes((url.searchParams.get('q') ?? '').toLowerCase()),
    );
    if (url.pathname === '/') show('Harbour Supplies', found.map((product) => product.card).join(''));
    else if (url.pathname === '/basket') show('Your basket', basketPage(basket));
    else if (url.pathname === '/prices') show('Prices', pricesPage);
    else if (url.pathname === '/prices.csv') download(response, 'prices.csv', pricesCsv());
    else if (url.pathname === '/thanks') show('Thank you', '<p class="lead">Your order is on its way.</p>');
    else {
      response.statusCode = 404;
      show('Not found', '<p class="lead">There is no such page.</p>');
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function basketPage(basket: string[]): string {
  if (basket.length === 0) return '<p class="lead">Nothing in it yet.</p>';
  const rows = basket.map((id) => `<li>${products.find((product) => product.id === id)?.name ?? 'Something'}</li>`);
  return `<ul class="basket">${rows.join('')}</ul>
    <form method="post" action="/orders"><label>Name <input name="name" autocomplete="off"></label>
    <button class="primary">Place order</button></form>`;
}

const visitorOf = ({ headers }: IncomingMessage) => /visitor=([\w-]+)/.exec(headers.cookie ?? '')?.[1];

function html(response: ServerResponse, text: string): void {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(text);
}

function download(response: ServerResponse, name: string, text: string): void {
  response.setHeader('content-type', 'text/csv; charset=utf-8');
  response.setHeader('content-disposition', `attachment; filename="${name}"`);
  response.end(text);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
