import { createServer } from 'node:http';
import { listen } from '../../testkit/listen.ts';

export type ButtonPage = {
  url: string;
  /** How often the button of the page of this name was pressed. */
  seen(name: string): number;
  close(): Promise<void>;
};

/** Pages that are one button with a clock on it: wherever a person presses they hit it, and a browser always has another frame. */
export async function startButtonPage(): Promise<ButtonPage> {
  const presses = new Map<string, number>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://button.test');
    if (request.method === 'POST') {
      presses.set(pathname, (presses.get(pathname) ?? 0) + 1);
      response.writeHead(204).end();
      return;
    }
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  });
  return { seen: (name) => presses.get(`/${name}`) ?? 0, ...(await listen(server)) };
}

const page = `<!doctype html><title>Button</title>
<style>button { position: fixed; inset: 0; font: 40px sans-serif }</style>
<button onclick="fetch(location.href, { method: 'POST' })">0</button>
<script>
  const button = document.querySelector('button');
  setInterval(() => (button.textContent = Math.round(performance.now() / 100)), 100);
</script>`;
