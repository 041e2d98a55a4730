import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import type { Installation } from '../../testkit/installation.ts';
import { figuresOf } from '../../testkit/percentiles.ts';

const changeEveryMs = 400;
/** A frame of this change, and not of the one before or after it. */
const belongsWithinMs = 300;

/**
 * From a change of the page to the frame that shows it: at a client of our HTTP stream, beside a bare Chromium that is
 * asked over its own protocol in this process. Both show the same page; each is measured while the other rests.
 */
export async function measureFrames(installation: Installation, site: ChangingSite, count: number) {
  const ours = await measureOurs(installation, site, count);
  const bare = await measureBare(site, count);
  const oursAgain = await measureOurs(installation, site, count);
  return { ours: figuresOf([...ours, ...oursAgain]), bare: figuresOf(bare) };
}

export type ChangingSite = Awaited<ReturnType<typeof openChangingSite>>;

async function measureOurs({ client }: Installation, site: ChangingSite, count: number): Promise<number[]> {
  const { session } = await client.createSession();
  const { task_id } = await client.sendChat({
    prompt: 'watch',
    session_id: session.id,
    steps: [{ action: 'navigate', url: `${site.url}/still` }],
  });
  for await (const _ of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(30_000) }));
  const stop = new AbortController();
  const arrivals: number[] = [];
  const watching = (async () => {
    for await (const event of client.followSession({ id: session.id }, { signal: stop.signal })) {
      if (event.type === 'frame') arrivals.push(Date.now());
    }
  })().catch(() => {});
  await sleep(1500);
  site.changes.length = 0;
  const { task_id: change } = await client.sendChat({
    prompt: 'change',
    session_id: session.id,
    steps: [{ action: 'navigate', url: `${site.url}/changing` }],
  });
  for await (const _ of client.followTask({ id: change }, { signal: AbortSignal.timeout(30_000) }));
  await sleep(changeEveryMs * (count + 4));
  stop.abort();
  await watching;
  await client.sendChat({
    prompt: 'rest',
    session_id: session.id,
    steps: [{ action: 'navigate', url: `${site.url}/still` }],
  });
  return delays(site.changes, arrivals, count);
}

async function measureBare(site: ChangingSite, count: number): Promise<number[]> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  await page.goto(`${site.url}/changing`);
  const cdp = await page.context().newCDPSession(page);
  const arrivals: number[] = [];
  cdp.on('Page.screencastFrame', ({ sessionId }) => {
    arrivals.push(Date.now());
    void cdp.send('Page.screencastFrameAck', { sessionId });
  });
  site.changes.length = 0;
  await cdp.send('Page.startScreencast', { format: 'jpeg', quality: 60 });
  await sleep(changeEveryMs * (count + 4));
  await browser.close();
  return delays(site.changes, arrivals, count);
}

/** The first frame after each change; a change whose frame was lost is not counted, and is seen in the count. */
function delays(changes: number[], arrivals: number[], count: number): number[] {
  return changes.slice(1, count + 1).flatMap((at) => {
    const shown = arrivals.find((time) => time >= at);
    return shown !== undefined && shown - at < belongsWithinMs ? shown - at : [];
  });
}

/** A page that changes its colour at fixed times and tells when it did; a picture of about the usual weight. */
export async function openChangingSite() {
  const changes: number[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        changes.push(Number(text));
        response.end();
      });
      return;
    }
    response.setHeader('content-type', 'text/html').end(pageOf(request.url === '/changing'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changes,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const words = Array.from(
  { length: 700 },
  (_, i) => `<span style="color:hsl(${(i * 37) % 360} 60% 40%)">word ${i}</span>`,
).join(' ');
const pageOf = (isChanging: boolean) => `<!doctype html><body style="font:15px sans-serif">
<div id="box" style="height:120px;background:#888"></div><p>${words}</p>${
  isChanging
    ? `<script>let n = 0; setInterval(() => { n++;
        document.getElementById('box').style.background = 'hsl(' + (n * 67) % 360 + ' 70% 50%)';
        const at = performance.timeOrigin + performance.now();
        fetch('/', { method: 'POST', body: String(at) });
      }, ${changeEveryMs});</script>`
    : ''
}</body>`;
