import { createServer } from 'node:http';
import { listen } from '../listen.ts';

/** A touch of a page, as the site heard of it. The epoch is known where the hand itself said it. */
export type Touch = { path: string; hand: 'agent' | 'person'; at: number; epoch: number | null };
export type Site = { url: string; touches: Touch[]; close(): Promise<void> };

/** Where a person finds their button, in pixels of the page. */
export const mine = { x: 460, y: 120 };

/** Pages with a button for the agent and one for a person, each of which says whose hand it was and when. */
export async function startSite(): Promise<Site> {
  const touches: Touch[] = [];
  const known = new Set<string>();
  const server = createServer(async (request, response) => {
    const { pathname: path } = new URL(request.url ?? '/', 'http://site.test');
    if (request.method !== 'POST') {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
      return;
    }
    let body = '';
    for await (const piece of request) body += piece;
    const { 'x-epoch': epoch, 'x-hand': hand } = request.headers;
    const told = body ? JSON.parse(body) : { id: crypto.randomUUID(), hand: hand ?? 'agent', at: Date.now() };
    if (!known.has(told.id)) {
      known.add(told.id);
      touches.push({ path, hand: told.hand, at: told.at, epoch: epoch === undefined ? null : Number(epoch) });
    }
    response.writeHead(204).end();
  });
  return { touches, ...(await listen(server)) };
}

const page = `<!doctype html><title>Two hands</title>
<style>button { position: absolute; top: 100px; width: 120px; height: 40px }</style>
<button style="left: 100px" onclick="tell('agent')">Work</button>
<button style="left: 400px" onclick="tell('person')">Mine</button>
<script>
  // Whoever takes the wheel stops what is being loaded, and with it what is being told.
  const tell = (hand) => {
    const body = JSON.stringify({ id: String(Math.random()), hand, at: Date.now() });
    const send = () => fetch(location.pathname, { method: 'POST', body }).catch(() => setTimeout(send, 50));
    send();
  };
</script>`;
