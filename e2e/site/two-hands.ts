import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Whose button was pressed, or what is in the field now; with the time by the clock of the machine. */
export type Touch = { kind: string; value: string; at: number };
export type TwoHands = { url: string; touches: Touch[]; close(): Promise<void> };

/** Where a person finds their button and their field, in pixels of the page. */
export const places = { mine: { x: 460, y: 120 }, field: { x: 460, y: 220 } };

/** A page with a button for the agent, and a button and a field for a person; it tells of every touch. */
export async function startTwoHands(): Promise<TwoHands> {
  const touches: Touch[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hands.test');
    if (request.method === 'POST') {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        touches.push(JSON.parse(body));
        response.writeHead(204).end();
      });
      return;
    }
    const slowMs = Number(url.searchParams.get('slow_ms') ?? 0);
    setTimeout(() => response.setHeader('content-type', 'text/html').end(page), slowMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    touches,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const page = `<!doctype html><title>Two hands</title>
<style>button, input { position: absolute; width: 120px; height: 40px }</style>
<button style="left: 100px; top: 100px" onclick="tell('agent', '')">Work</button>
<button style="left: 400px; top: 100px" onclick="tell('person', '')">Mine</button>
<input style="left: 400px; top: 200px" aria-label="Field" oninput="tell('field', this.value)">
<script>
  let last = Promise.resolve();
  const tell = (kind, value) => {
    const body = JSON.stringify({ kind, value, at: Date.now() });
    last = last.then(() => fetch('/touch', { method: 'POST', body }));
  };
</script>`;
