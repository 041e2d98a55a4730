import { createServer } from 'node:http';
import { listen } from '../listen.ts';

type Said = { path: string; load: number; count: number; kind: 'loaded' | 'field' | 'pressed'; value: string };
export type TickingForm = {
  url: string;
  /** What is in the field of the page at this path, as it was loaded last. */
  fieldOf(path: string): string | undefined;
  loadsOf(path: string): number;
  pressesOf(path: string): number;
  close(): Promise<void>;
};

/** Where the field is, in pixels of the page. */
export const fieldPlace = { x: 400, y: 220 };

/** Pages with a clock that ticks, so that a browser always has another frame to send, and a field that tells what is in it. */
export async function startTickingForm(): Promise<TickingForm> {
  const said: Said[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://form.test');
    if (request.method !== 'POST') {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(pageOf(pathname));
      return;
    }
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const one: Said = JSON.parse(body);
      // The page says it again until it is answered.
      if (!said.some(({ load, count }) => load === one.load && count === one.count)) said.push(one);
      response.writeHead(204).end();
    });
  });
  const of = (path: string, kind: Said['kind']) => said.filter((one) => one.path === path && one.kind === kind);
  const { url, close } = await listen(server);
  return {
    url,
    close,
    loadsOf: (path) => of(path, 'loaded').length,
    pressesOf: (path) => of(path, 'pressed').length,
    fieldOf(path) {
      const newest = of(path, 'loaded').toSorted((one, other) => other.load - one.load)[0];
      const values = of(path, 'field').filter(({ load }) => load === newest?.load);
      return newest && (values.toSorted((one, other) => other.count - one.count)[0]?.value ?? '');
    },
  };
}

const pageOf = (path: string) => `<!doctype html><title>Ticking ${path}</title>
<style>body { font: 24px sans-serif } input { position: absolute; left: 100px; top: 200px; width: 900px; height: 40px }
button { position: absolute; left: 100px; top: 300px; width: 120px; height: 40px }</style>
<p id="clock">0</p><p>${path}</p>
<input aria-label="Field" oninput="tell('field', this.value)"><button onclick="tell('pressed', '')">Press</button>
<script>
  const load = performance.timeOrigin;
  let count = 0;
  const tell = (kind, value) => {
    count += 1;
    const body = JSON.stringify({ path: location.pathname, load, count, kind, value });
    const send = () => fetch('/said', { method: 'POST', body }).catch(() => setTimeout(send, 50));
    send();
  };
  setInterval(() => (clock.textContent = Math.round(performance.now() / 100)), 100);
  // A browser takes no input before it has painted.
  requestAnimationFrame(() => requestAnimationFrame(() => tell('loaded', '')));
</script>`;
