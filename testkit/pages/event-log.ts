// A page that writes down every press and key that it gets, by the clock of the machine, and tells its site until it is heard.

import { createServer } from 'node:http';
import { listen } from '../listen.ts';

/** One event of one document. `n` counts them there; `on` is the element. */
export type LoggedEvent = { document: string; n: number; type: string; on: string; at: number };
export type EventLog = {
  url: string;
  events: LoggedEvent[];
  /** Documents that were ready, in order. */
  ready: string[];
  /** Documents that were left for others. One that crashed is not among them. */
  left: string[];
  close(): Promise<void>;
};

export const listed = 7;
export const title = 'Desk';
/** Where a person finds their button, and a program its own, in pixels of the page. */
export const places = { mine: { x: 460, y: 120 }, press: { x: 160, y: 120 } };

export async function startEventLog(): Promise<EventLog> {
  const heard = new Map<string, LoggedEvent>();
  const ready: string[] = [];
  const left: string[] = [];
  const events: LoggedEvent[] = [];
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.setHeader('content-type', 'text/html').end(page);
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      for (const event of JSON.parse(body) as LoggedEvent[]) {
        const key = `${event.document} ${event.n}`;
        if (heard.has(key)) continue;
        heard.set(key, event);
        if (event.type === 'ready') ready.push(event.document);
        else if (event.type === 'left') left.push(event.document);
        else events.push(event);
      }
      response.writeHead(204).end();
    });
  });
  return { events, ready, left, ...(await listen(server)) };
}

const page = `<!doctype html><title>${title}</title>
<style>button, input { position: absolute; width: 120px; height: 40px; top: 100px } ul { margin-top: 200px }</style>
<button id="press" style="left: 100px">Press</button><button id="mine" style="left: 400px">Mine</button>
<label style="position: absolute; left: 600px; top: 80px">Name <input id="name" style="left: 0; top: 20px"></label>
<ul>${'<li>item'.repeat(listed)}</ul>
<script>
  const me = String(Math.random());
  let n = 0;
  let unsent = [];
  const note = (type, on) => unsent.push({ document: me, n: n++, type, on, at: Date.now() });
  // A new driver may stop a script of the page in the middle: what one listener did not write down, the other does.
  const noted = new WeakSet();
  const hear = (event) => {
    if (noted.has(event)) return;
    note(event.type, event.target.id ?? '');
    noted.add(event);
  };
  for (const type of ['mousedown', 'mouseup', 'click', 'keydown', 'keyup', 'input'])
    for (const place of [window, document]) place.addEventListener(type, hear, true);
  // A new driver stops what is being loaded, and with it what is being told: it is told again.
  // And it may stop a script in the middle: each attempt is one of its own.
  const tell = async () => {
    const told = unsent.slice();
    if (told.length > 0 && (await fetch('/', { method: 'POST', body: JSON.stringify(told) }).catch(() => ({}))).ok)
      unsent = unsent.filter((one) => !told.includes(one));
  };
  addEventListener('pagehide', () => note('left', '') && navigator.sendBeacon('/', JSON.stringify(unsent)));
  // A browser takes no input before it has painted.
  requestAnimationFrame(() => requestAnimationFrame(() => note('ready', '')));
  setInterval(tell, 100);
</script>`;
