// Pages with one button that commits, which change under the hand of an agent when they are told to. The site knows of everything
// that reached it whether it was sent before the change or after.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../listen.ts';

export const swapKinds = ['price', 'name', 'action', 'origin'] as const;
export type SwapKind = (typeof swapKinds)[number];
/** `isSwapped`: the page was no longer the one that a person had seen. */
export type Sent = { token: string; isSwapped: boolean };
export type SwapSite = Awaited<ReturnType<typeof startSwapSite>>;

export async function startSwapSite() {
  const sent: Sent[] = [];
  const kinds = new Map<string, SwapKind>();
  const waiting = new Map<string, ServerResponse[]>();
  const take = async (request: IncomingMessage, response: ServerResponse, token: string, isElsewhere: boolean) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    sent.push({ token, isSwapped: isElsewhere || new URLSearchParams(body).get('version') !== 'first' });
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<!doctype html><title>Thanks</title><p>Ordered.</p>');
  };
  /** Of another origin, and alike in everything that is shown. */
  const other = await listen(
    createServer((request, response) => {
      const [, token = '', what = ''] = pathOf(request);
      if (request.method === 'POST') return void take(request, response, token, true);
      html(response, what === '' ? pageOf(token, 'price', '', true) : '');
    }),
  );
  const site = await listen(
    createServer((request, response) => {
      const [, token = '', what = ''] = pathOf(request);
      const kind = kinds.get(token);
      if (!kind) return void response.writeHead(404).end();
      if (request.method === 'POST') return void take(request, response, token, what === 'elsewhere');
      if (what === 'told') {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
        waiting.set(token, [...(waiting.get(token) ?? []), response]);
        return;
      }
      html(response, pageOf(token, kind, other.url, false));
    }),
  );
  return {
    urls: [site.url, other.url],
    pageFor(token: string, kind: SwapKind): string {
      kinds.set(token, kind);
      return `${site.url}/${token}/`;
    },
    /** Changes the page where it is open. */
    swap(token: string): void {
      for (const response of waiting.get(token) ?? []) response.write('data: now\n\n');
    },
    sentBy: (token: string) => sent.filter((one) => one.token === token),
    async close() {
      await site.close();
      await other.close();
    },
  };
}

const pathOf = ({ url }: IncomingMessage) => new URL(url ?? '/', 'http://site.test').pathname.split('/');

function html(response: ServerResponse, body: string): void {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(body);
}

const changes: Record<SwapKind, (token: string, other: string) => string> = {
  price: () => "document.getElementById('price').textContent='900.00 €';form.version.value='second'",
  name: () => "form.querySelector('button').textContent='Place order and subscribe';form.version.value='second'",
  action: () => "form.action='elsewhere'",
  origin: (token, other) => `location.replace('${other}/${token}/')`,
};

const pageOf = (token: string, kind: SwapKind, other: string, isElsewhere: boolean): string => `<!doctype html>
<title>Order</title><style>body{font:16px sans-serif;margin:24px}</style><h1>Your order</h1>
<form method="post" action="${isElsewhere ? 'elsewhere' : 'order'}"><p>One lantern for <b id="price">19.00 €</b></p>
<input type="hidden" name="version" value="first"><button>Place order</button></form>
<script>const form=document.forms[0];${isElsewhere ? '' : `new EventSource('told').onmessage=()=>{${changes[kind](token, other)}}`}</script>`;
