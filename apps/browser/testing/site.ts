import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suggestionsPage } from './suggestions-page.ts';

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

/** One of each thing that takes more than a click. What happened is told in the title. */
const workshop = page(
  'Workshop',
  `<script>function tell(text) { document.title = text }</script>
  <button ondblclick="tell('twice')">Double</button>
  <button onmouseenter="tell('over')">Hover</button>
  <input type="file" aria-label="Report" onchange="this.files[0].text().then(tell)">
  <button onclick="chooser.click()">Choose a file</button><input hidden type="file" id="chooser" onchange="this.files[0].text().then((text) => tell('chosen ' + text))">
  <a href="/file" download="numbers.csv">Numbers</a><a href="/large" download>Large</a>
  <button onclick="tell('before'); alert('Careful'); tell('after')">Warn</button>
  <button onclick="tell(confirm('Sure?') ? 'sure' : 'unsure')">Sure</button>
  <button onclick="tell('named ' + prompt('Who?', 'nobody'))">Name</button>
  <div draggable="true" id="card" style="width: 90px" ondragstart="event.dataTransfer.setData('text/plain', 'card')">Card</div>
  <div id="basket" style="width: 200px; height: 60px; background: #eee" ondragover="event.preventDefault()" ondrop="tell('dropped ' + event.dataTransfer.getData('text/plain'))">Basket</div>
  <div role="combobox" aria-label="Size" tabindex="0" onclick="sizes.hidden = false">?</div>
  <div role="listbox" id="sizes" hidden><div role="option" onclick="tell('size small')">Small</div><div role="option" onclick="tell('size large')">Large</div></div>
  <label>Day <input type="date" onchange="tell('day ' + this.value)"></label>
  <div contenteditable role="textbox" aria-label="Note">old</div>
  <iframe src="/inside" style="border: 7px solid; margin-left: 30px"></iframe>
  <custom-box></custom-box>
  <table aria-label="Prices"><thead><tr><th>Name</th><th>Price</th></tr></thead><tbody><tr><td>Lamp</td><td>12</td></tr><tr><td>Rope</td><td>3</td></tr></tbody></table>
  <ul><li class="item" data-id="7"><b>Lamp</b> <i>1,200.50 €</i></li><li class="item" data-id="8"><b>Rope</b> <i>3</i></li></ul>
  <div id="bottom" style="margin-top: 2500px">Bottom</div>
  <script>
    customElements.define('custom-box', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<button onclick="tell(\\'shadow\\')">In the shadow</button>' } });
  </script>`,
);

/** A frame comes over the button with every move of the pointer, and goes again. */
const shifting = page(
  'Shifting',
  `<style>#over { position: fixed; left: -900px; top: 0; width: 400px; height: 100px; opacity: 0 }</style>
  <button onclick="document.title = 'Paid'">Pay</button><iframe id="over" srcdoc="<body onclick='top.document.title = 1'>"></iframe>
  <script>
    document.querySelector('button').addEventListener('pointermove', () => {
      over.style.left = 0;
      setTimeout(() => { over.style.left = '-900px' }, 300);
    });
  </script>`,
);

const answers: Record<string, () => { body: string; cookie?: string }> = {
  '/workshop': () => ({ body: workshop }),
  '/inside': () => ({
    body: page('Inside', `<button onclick="top.tell('inside')">In the frame</button><label>Inner <input></label>`),
  }),
  '/form': () => ({ body: form }),
  '/shifting': () => ({ body: shifting }),
  '/suggestions': () => ({ body: suggestionsPage }),
  '/order': () => ({ body: page('Order', '<form method="post" action="/slow"><button>Send</button></form>') }),
  '/ask': () => ({ body: page('Ask', '<form method="post" action="/later"><button>Say it</button></form>') }),
  '/asking': () => ({ body: page('Asking', '<iframe title="Near" src="/ask"></iframe>') }),
  '/asking-far': () => ({
    body: page(
      'Asking',
      `<iframe title="Far"></iframe><script>document.querySelector('iframe').src = 'http://localhost:' + location.port + '/ask'</script>`,
    ),
  }),
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

/** More than a page is given to load, less than a step has. */
const SLOW_MS = 4000;
/** Noticeable, and less than a frame is given. */
const LATER_MS = 600;

/** More than anybody wants, as fast as it is taken. */
function sendForever(response: ServerResponse): void {
  const piece = Buffer.alloc(1024 * 1024);
  const send = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.setHeader('content-disposition', 'attachment').on('drain', send);
  send();
}

/** `asked`: the paths that were asked for, in order. */
export async function startSite(): Promise<Site & { asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    asked.push(pathname);
    if (pathname === '/file') return void response.setHeader('content-type', 'text/csv').end('a,b\n1,2\n');
    if (pathname === '/large') return sendForever(response);
    if (pathname === '/later') return void setTimeout(() => response.end('Said at last'), LATER_MS);
    if (pathname === '/slow') return void setTimeout(() => response.end('At last'), SLOW_MS);
    const answer = answers[pathname]?.();
    if (!answer) return void response.writeHead(404).end();
    if (answer.cookie) response.setHeader('set-cookie', answer.cookie);
    response.setHeader('content-type', 'text/html').end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
