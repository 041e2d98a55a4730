// Pages that mean no good, or do not know better. All of them have the same things on them to lay hands on.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Site } from './site.ts';

const things = `
  <h1>Things</h1>
  <form action="/calm"><label>Field <input name="field"></label><button>Send</button></form>
  <button onclick="go()">Go</button>
  <label>List <select><option>Red</option><option>Blue</option></select></label>
  <label><input type="checkbox"> Box</label>
  <textarea aria-label="Area"></textarea>
  <div id="far" style="margin-top: 1500px">Far</div>
  <a href="/calm">Home</a>
  <input type="file" aria-label="File">
  <table aria-label="Prices"><tr><th>Name</th><th>Price</th></tr><tr><td>Lamp</td><td>12</td></tr></table>`;

const page = (script: string, extra = '') =>
  `<!doctype html><title>Hostile</title><body>${things}${extra}<script>function go() {}\n${script}</script>`;

const pages: Record<string, string> = {
  calm: page(''),
  alerts: page(`setInterval(() => alert('Look at me'), 150)`),
  questions: page(`go = () => { alert('One'); if (confirm('Two?')) prompt('Three?', 'x') }`),
  leaving: page(`addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = '' })`),
  popups: page(`go = () => { for (let i = 0; i < 5; i++) open('/calm?' + i) }; setInterval(() => open('/popup'), 400)`),
  animated: page(
    `let at = 0; const turn = () => { far.style.transform = 'rotate(' + at++ + 'deg)'; requestAnimationFrame(turn) }; turn()`,
  ),
  huge: page(
    `go = () => document.body.append(document.createElement('p'))`,
    `<div>${'<p><b>x</b></p>'.repeat(15_000)}</div>`,
  ),
  restless: page(`setTimeout(() => { location.href = '/restless?' + Math.random() }, 200)`),
  busy: page(`go = () => { const end = Date.now() + 1500; while (Date.now() < end); }`),
  stuck: page(`go = () => { for (;;); }`),
  stuckAtOnce: page(`setTimeout(() => { for (;;); }, 300)`),
  closing: page(`go = () => close(); setTimeout(() => close(), 700)`),
  history: page(`setInterval(() => history.pushState({}, '', '/history?' + Math.random()), 20)`),
  downloads: page(
    `setInterval(() => { const a = document.createElement('a'); a.href = '/file'; a.download = ''; a.click() }, 300)`,
    `<a href="/file" download>Report</a>`,
  ),
  printing: page(`go = () => print(); setTimeout(() => print(), 200)`),
  moving: page(`setInterval(() => { document.body.style.paddingTop = Math.random() * 200 + 'px' }, 30)`),
  covered: page('', `<div style="position: fixed; inset: 0; z-index: 9"></div>`),
  tampered: page(
    `Array.prototype.map = Array.prototype.filter = () => { throw new Error('no') }; JSON.stringify = () => 'x';
     Element.prototype.getBoundingClientRect = () => ({ x: 1e9, y: NaN, width: -1, height: 0 });
     document.querySelectorAll = () => []; Promise = undefined; window.Map = null`,
  ),
  framed: page('', `<iframe src="/alerts"></iframe><iframe src="/busy"></iframe><iframe src="/framed?again"></iframe>`),
  fullOfTitles: page(`setInterval(() => { document.title = 'x'.repeat(100000) + Math.random() }, 10)`),
};

export const hostilePages = [...Object.keys(pages), 'slow', 'endless', 'broken', 'empty', 'redirects'];

export async function startHostileSite(): Promise<Site> {
  const timers = new Set<NodeJS.Timeout>();
  /** Sends what it has at once, and the rest never. */
  const slowly = (response: ServerResponse) => {
    response.setHeader('content-type', 'text/html').write(page('').slice(0, 400));
    const timer = setInterval(() => response.write('<p>more</p>'), 200);
    timers.add(timer);
    response.on('close', () => clearInterval(timer));
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    const name = pathname.slice(1);
    const html = pages[name];
    if (html) return void response.setHeader('content-type', 'text/html').end(html);
    if (name === 'popup') return void response.setHeader('content-type', 'text/html').end(pages.calm);
    if (name === 'slow') return slowly(response);
    // Never answered.
    if (name === 'endless') return;
    if (name === 'broken') return void response.destroy();
    if (name === 'empty') return void response.writeHead(204).end();
    if (name === 'redirects') return void response.writeHead(302, { location: `/redirects?${searchParams}` }).end();
    if (name === 'file') return void response.setHeader('content-disposition', 'attachment; filename=r.txt').end('x');
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearInterval(timer);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
