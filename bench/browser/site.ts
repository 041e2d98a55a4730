import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Kind = 'words' | 'blank';

/** A picture full of words weighs several times one of nothing. */
export const kindOf = (imageBytes: number): Kind => (imageBytes > 15_000 ? 'words' : 'blank');

/** What the page is to do: turn `before` times, and then show this kind. */
export type Turn = { kind: Kind; before: number };

/**
 * Pages for what is measured. `/turning?who=` shows a text or hides it when told, and at a click, and says when it did;
 * `/still` shows it and never changes; `/ticking` changes twice a second; `/endless` never rests; `/desk` counts presses; `/counter`
 * too, beside a text and a clock.
 */
export async function openBenchSite() {
  const waiting = new Map<string, ServerResponse>();
  const onTurned = new Map<string, (at: number) => void>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    const who = searchParams.get('who') ?? '';
    if (pathname === '/next') return void waiting.set(who, response);
    if (pathname === '/turned') {
      onTurned.get(who)?.(Number(searchParams.get('at')));
      return void response.end();
    }
    const html = {
      '/turning': turning,
      '/still': still,
      '/ticking': ticking,
      '/endless': endless,
      '/desk': desk,
      '/counter': counter,
    }[pathname];
    response.setHeader('content-type', 'text/html').end(html ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // Listening on TCP, so the address is of this kind.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isWaiting: (who: string) => waiting.has(who),
    /** Resolves with the time at which the page says it has done it. */
    turn(who: string, turn: Turn): Promise<number> {
      const done = new Promise<number>((resolve) => onTurned.set(who, resolve));
      waiting.get(who)?.end(JSON.stringify(turn));
      waiting.delete(who);
      return done;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
export type BenchSite = Awaited<ReturnType<typeof openBenchSite>>;

/** About the usual weight of a picture. */
const words = Array.from(
  { length: 110 },
  (_, index) => `<span style="color:hsl(${(index * 37) % 360} 60% 40%)">word ${index}</span>`,
).join(' ');

const turning = `<!doctype html><body style="font:15px sans-serif"><p id="text" style="visibility:hidden">${words}</p><script>
  const who = new URLSearchParams(location.search).get('who');
  const turn = (kind) => { text.style.visibility = kind === 'words' ? 'visible' : 'hidden' };
  const other = () => text.style.visibility === 'hidden' ? 'words' : 'blank';
  addEventListener('click', () => turn(other()));
  (async () => {
    for (;;) {
      const { kind, before } = await (await fetch('/next?who=' + who)).json();
      for (let left = before; left > 0; left--) {
        turn(other());
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
      turn(kind);
      fetch('/turned?who=' + who + '&at=' + (performance.timeOrigin + performance.now()));
    }
  })();
</script>`;

const still = `<!doctype html><body style="font:15px sans-serif"><p>${words}</p>`;

const ticking = `<!doctype html><body style="font:15px sans-serif"><div id="box" style="height:120px"></div><p>${words}</p><script>
  let count = 0;
  setInterval(() => { box.style.background = 'hsl(' + (count++ * 67) % 360 + ' 70% 50%)' }, 500);
</script>`;

const endless = `<!doctype html><style>@keyframes turn { to { transform: rotate(360deg) } }
  #box { width: 80px; height: 80px; background: #c33; animation: turn 1s linear infinite }</style>
  <body style="font:15px sans-serif"><div id="box"></div><p>${words}</p>`;

const desk = `<!doctype html><title>Desk</title><button onclick="out.value = Number(out.value) + 1">Count</button>
  <label>Name <input></label><output id=out>0</output>`;

const counter = `<!doctype html><title>Counter</title><body style="font:15px sans-serif">
  <button onclick="out.value = Number(out.value) + 1">Count</button><output id=out>0</output><p id="clock">0</p><p>${words}</p>
  <script>setInterval(() => { clock.textContent = Math.round(performance.now() / 1000) }, 1000)</script>`;
