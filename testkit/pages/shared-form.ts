import { createServer } from 'node:http';
import { listen } from '../listen.ts';

/** Whose button was pressed, or what is in the field now; with the time by the clock of the machine. */
export type Touch = { id: string; kind: string; value: string; at: number };
export type SharedForm = { url: string; touches: Touch[]; close(): Promise<void> };

/** Where a person finds their button and their field, in pixels of the page. */
export const places = {
  mine: { x: 460, y: 120 },
  field: { x: 460, y: 220 },
  drag: { x: 460, y: 320 },
  choice: { x: 460, y: 420 },
  question: { x: 460, y: 520 },
  file: { x: 460, y: 620 },
};

/** A page with a button for the agent, and with all that a hand can touch for a person; it tells of every touch, and when it is ready. */
export async function startSharedForm(): Promise<SharedForm> {
  const touches: Touch[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hands.test');
    if (request.method === 'POST') {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        const touch = JSON.parse(body);
        if (!touches.some(({ id }) => id === touch.id)) touches.push(touch);
        response.writeHead(204).end();
      });
      return;
    }
    const slowMs = Number(url.searchParams.get('slow_ms') ?? 0);
    setTimeout(() => response.setHeader('content-type', 'text/html').end(page), slowMs);
  });
  return { touches, ...(await listen(server)) };
}

const page = `<!doctype html><title>Two hands</title>
<style>button, input, div, select { position: absolute; width: 120px; height: 40px }</style>
<button style="left: 100px; top: 100px" onclick="tell('agent', '')">Work</button>
<button style="left: 400px; top: 100px" onclick="tell('person', '')" ondblclick="tell('double', '')">Mine</button>
<input style="left: 400px; top: 200px" aria-label="Field" oninput="tell('field', this.value)">
<div id="handle" style="left: 400px; top: 300px; background: tan">Drag me</div>
<select style="left: 400px; top: 400px" onchange="tell('choice', this.value)"><option>one<option>two</select>
<button style="left: 400px; top: 500px" onclick="tell('answer', String(confirm('Sure?')))">Ask</button>
<input type="file" style="left: 400px; top: 600px" aria-label="File"
  onchange="this.files[0].text().then((text) => tell('file', this.files[0].name + ': ' + text))">
<script>
  // Whoever takes the wheel stops what is being loaded, and with it what is being told.
  const tell = (kind, value) => {
    const body = JSON.stringify({ id: crypto.randomUUID?.() ?? Math.random(), kind, value, at: Date.now() });
    const send = () => fetch('/touch', { method: 'POST', body }).catch(() => setTimeout(send, 50));
    send();
  };
  let from;
  handle.onmousedown = ({ x }) => (from = x);
  onmouseup = ({ x }) => from !== undefined && tell('dragged', String(x - from));
  // A browser takes no input before it has painted.
  requestAnimationFrame(() => requestAnimationFrame(() => tell('ready', '')));
</script>`;
