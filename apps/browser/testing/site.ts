import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Site = {
  url: string;
  close(): Promise<void>;
};

const page = (title: string, body: string) => `<!doctype html><title>${title}</title><body>${body}`;

/** A page with everything the tests touch. */
const form = page(
  'Form',
  `<style>body { margin: 0 } #far { margin: 2000px 0 0 37px; width: 123px; height: 45px; display: block }</style>
  <form action="/welcome"><label>Name <input name="name"></label><button>Sign in</button></form>
  <button id="count" onclick="this.dataset.clicks = Number(this.dataset.clicks ?? 0) + 1; document.title = 'Clicked ' + this.dataset.clicks">Count</button>
  <button>Twice</button><button>Twice</button>
  <label>Shout <input oninput="this.value = this.value.toUpperCase()"></label>
  <label>Colour <select><option>Red</option><option>Blue</option></select></label>
  <label><input type="checkbox"> Agree</label>
  <div style="position: relative; width: 100px"><button>Under</button><div style="position: absolute; inset: 0"></div></div>
  <button onclick="setTimeout(() => document.body.append('It is late'), 300)">Later</button>
  <a href="/popup" target="_blank">Open popup</a>
  <button id="far" onclick="const { x, y, width, height } = this.getBoundingClientRect(); document.title = [x, y, width, height]">Far</button>`,
);

const answers: Record<string, () => { body: string; cookie?: string }> = {
  '/form': () => ({ body: form }),
  '/popup': () => ({ body: page('Popup', '<p>I am a popup') }),
  '/welcome': () => ({
    body: page(
      'Welcome',
      `<p id="who"></p><script>localStorage.setItem('seen', 'yes')</script><div style="height: 3000px">`,
    ),
    cookie: 'login=anna; Max-Age=3600',
  }),
  '/who': () => ({
    body: page('Who', `<script>document.title = document.cookie + ' ' + localStorage.getItem('seen')</script>`),
  }),
  '/moving': () => ({
    body: page(
      'Moving',
      `<p id="n">0</p><script>setInterval(() => { n.textContent = Number(n.textContent) + 1 }, 50)</script>`,
    ),
  }),
};

export async function startSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const answer = answers[pathname]?.();
    if (!answer) return void response.writeHead(404).end();
    if (answer.cookie) response.setHeader('set-cookie', answer.cookie);
    response.setHeader('content-type', 'text/html').end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
