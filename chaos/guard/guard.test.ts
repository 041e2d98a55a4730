import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { watchSchemes } from '../../apps/browser/src/guard/rules/schemes.ts';
import { type GuardedBrowser, openGuardedBrowser } from './browser-behind-guard.ts';
import { attackGuard, attackWithChangingNames, hitWithoutGuard } from './guard.ts';

describe('the guard around a Chromium', () => {
  let place: GuardedBrowser;
  before(async () => {
    place = await openGuardedBrowser();
  });
  after(() => place?.close());

  async function withPage<T>(url: string, use: (page: Page) => Promise<T>): Promise<T> {
    const context = await place.browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(url);
      return await use(page);
    } finally {
      await context.close();
    }
  }

  it('lets sites of the web through: http, https, WebSockets of both, and service workers', async () => {
    for (const scheme of ['http', 'https']) {
      await withPage(`${scheme}://public.test/`, async (page) => {
        assert.equal(await page.title(), 'site');
        assert.equal(await page.evaluate(openSocket, `${scheme.replace('http', 'ws')}://public.test/`), 'hello');
        assert.equal(await page.evaluate(() => fetch('/x').then(({ status }) => status)), 200);
      });
    }
    const outcomes = await withPage('https://public.test/', (page) =>
      page.evaluate(askServiceWorker, ['https://other.test/', `https://127.0.0.1:${place.canary.port}/`]),
    );
    assert.deepEqual(outcomes, ['fetched', 'failed']);
    assert.equal(place.canary.hits(), 0);
  });

  it('asks for each name itself: Chromium never does, not even when a page hints at one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pilothouse-netlog-'));
    const file = join(folder, 'log.json');
    const logged = await openGuardedBrowser({ args: [`--log-net-log=${file}`] });
    const page = await logged.browser.newPage();
    await page.goto('http://once.test/hints');
    await page.goto('https://twice.test/');
    await page.evaluate(openSocket, 'wss://twice.test/');
    await sleep(200);
    await logged.close();
    // What Chromium wrote of all that it did in the network.
    const log = JSON.parse(await readFile(file, 'utf8')) as NetLog;
    await rm(folder, { recursive: true });
    const count = (name: string) => {
      const type = log.constants.logEventTypes[name];
      assert.ok(type !== undefined, `${name} is no event of this Chromium`);
      return log.events.filter((event) => event.type === type).length;
    };
    assert.ok(count('URL_REQUEST_START_JOB') >= 3);
    for (const name of [
      'HOST_RESOLVER_SYSTEM_TASK',
      'HOST_RESOLVER_DNS_TASK',
      'DNS_TRANSACTION',
      'DNS_TRANSACTION_QUERY',
    ])
      assert.equal(count(name), 0, name);
    assert.equal(logged.asked.get('once.test'), 1);
    assert.ok(logged.asked.has('twice.test'));
  });

  it('lets no packet of WebRTC or WebTransport out, and no connection', async () => {
    const { port } = place.canary;
    await withPage('https://public.test/', async (page) => {
      assert.deepEqual(await page.evaluate(tryPeers, port), []);
      assert.match(await page.evaluate(tryTransport, port), /failed/i);
    });
    assert.deepEqual([place.canary.packets(), place.canary.hits()], [0, 0]);
  });

  const schemes = [
    'file:///etc/passwd',
    'chrome://version/',
    'chrome://gpu',
    'view-source:http://public.test/',
    'about:gpu',
  ];
  const more = [
    'view-source:file:///etc/passwd',
    'FILE:/etc/passwd',
    'devtools://devtools/bundled/inspector.html',
    'ftp://public.test/',
  ];
  it('never shows a page that is not of the web, by whatever way a page leads there', async () => {
    const context = await place.browser.newContext();
    const shown: string[] = [];
    context.on('page', (page) =>
      page.on('framenavigated', async (frame) => {
        const text = await frame.evaluate('document.documentElement.innerText').catch(() => '');
        shown.push(`${frame.url()} ${text}`);
      }),
    );
    for (const to of [...schemes, ...more]) {
      const page = await context.newPage();
      for (const lead of leads) {
        await returnTo(page, 'http://public.test/');
        await page.evaluate(lead, to).catch(() => undefined);
        await sleep(20);
      }
      for (const path of ['redirect', 'refresh'])
        await page.goto(`http://public.test/${path}?to=${encodeURIComponent(to)}`).catch(() => undefined);
      await sleep(50);
      await page.goBack().catch(() => undefined);
      // A page that was half on its way to one of Chromium's own may never close; the browser ends with the suite.
      await Promise.race([Promise.all(context.pages().map((one) => one.close())), sleep(1000)]);
    }
    assert.ok(shown.length >= (schemes.length + more.length) * leads.length, `${shown.length} pages were shown`);
    const bad = shown.filter((page) => !/^(http:\/\/public\.test\/|about:|chrome-error:|$| )/.test(page));
    assert.deepEqual(bad, []);
    assert.ok(!shown.some((page) => /root:|chromium version/i.test(page)));
  });

  it('leaves a page that is not of the web when a driver opened it, and says so', async () => {
    const context = await place.browser.newContext();
    const refused: string[] = [];
    watchSchemes(context, (scheme) => refused.push(scheme));
    const page = await context.newPage();
    await page.goto('http://public.test/');
    for (const url of ['file:///etc/hostname', 'view-source:file:///etc/hostname']) {
      await page.goto(url).catch(() => undefined);
      await page.waitForURL('about:blank', { timeout: 5000 });
    }
    await page.goto('http://public.test/');
    await context.close();
    assert.deepEqual(refused, ['file:', 'file:']);
  });

  it('is the only way out: when it is gone there is none', async () => {
    const alone = await openGuardedBrowser();
    const page = await alone.browser.newPage();
    await page.goto('http://public.test/');
    await alone.guard.close();
    for (const host of ['public.test', `127.0.0.1:${alone.canary.port}`, `localhost:${alone.plainPort}`])
      await assert.rejects(page.goto(`http://${host}/`), /ERR_PROXY_CONNECTION_FAILED/);
    assert.equal(alone.canary.hits(), 0);
    await alone.close();
  });
});

it('no spelling of this machine reaches it by any way, and each of them would without the guard', async () => {
  const bare = await hitWithoutGuard({ atMost: 6 });
  assert.equal(bare.reached, bare.spellings);
  for (const [way, result] of Object.entries(await attackGuard({ atMost: 6 }))) {
    assert.deepEqual([result.hits, result.packets], [0, 0], way);
    assert.ok(result.refused >= result.spellings, `${way}: ${JSON.stringify(result)}`);
  }
});

it('a name that changes its answer between the check and the connection leads nowhere else', async () => {
  const { hits, refused, asked } = await attackWithChangingNames(6);
  assert.equal(hits, 0);
  assert.ok(refused > 0 && asked > refused, `${asked} asked, ${refused} refused`);
});

/** Goes there once the way that the page was led before has ended: Chromium may still be about to refuse it. */
async function returnTo(page: Page, url: string): Promise<void> {
  const end = performance.now() + 10_000;
  for (;;)
    try {
      await page.goto(url);
      return;
    } catch (error) {
      if (performance.now() > end || !/interrupted by another navigation/.test(String(error))) throw error;
      await sleep(50);
    }
}

type NetLog = { constants: { logEventTypes: Record<string, number> }; events: { type: number }[] };

/** What a page does to lead somewhere. */
const leads = [
  (to: string) => void Object.assign(globalThis, { location: to }),
  // biome-ignore lint/suspicious/noExplicitAny: this runs in the page, whose types are not known here
  (to: string) => void (globalThis as any).open(to),
  (to: string) => {
    // biome-ignore lint/suspicious/noExplicitAny: this runs in the page, whose types are not known here
    const { document } = globalThis as any;
    document.body.innerHTML = `<iframe src="${to}"></iframe><object data="${to}"></object><a href="${to}">x</a>`;
    document.querySelector('a').click();
  },
];

function openSocket(url: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.onmessage = ({ data }) => resolve(data);
    socket.onerror = () => resolve('error');
  });
}

async function askServiceWorker(urls: string[]): Promise<string[]> {
  // biome-ignore lint/suspicious/noExplicitAny: this runs in the page, whose types are not known here
  const { serviceWorker } = (globalThis as any).navigator;
  await serviceWorker.register('/worker.js');
  const { active } = await serviceWorker.ready;
  return Promise.all(
    urls.map((url) => {
      const { port1, port2 } = new MessageChannel();
      active.postMessage(url, [port2]);
      return new Promise<string>((resolve) => {
        port1.onmessage = ({ data }) => resolve(data);
      });
    }),
  );
}

/** Both ends of a connection in one page, with servers and candidates at the canary; the addresses it came to know. */
async function tryPeers(port: number): Promise<string[]> {
  // biome-ignore lint/suspicious/noExplicitAny: this runs in the page, whose types are not known here
  const { RTCPeerConnection } = globalThis as any;
  const turn = { username: 'a', credential: 'b' };
  const iceServers = [
    { urls: `stun:127.0.0.1:${port}` },
    { urls: `turn:127.0.0.1:${port}`, ...turn },
    { urls: `turn:127.0.0.1:${port}?transport=tcp`, ...turn },
  ];
  const [one, other] = [new RTCPeerConnection({ iceServers }), new RTCPeerConnection({ iceServers })];
  const found: string[] = [];
  for (const peer of [one, other])
    peer.onicecandidate = ({ candidate }: { candidate: { candidate: string } | null }) =>
      candidate && found.push(candidate.candidate);
  one.createDataChannel('x');
  await one.setLocalDescription(await one.createOffer());
  await other.setRemoteDescription(one.localDescription);
  await other.setLocalDescription(await other.createAnswer());
  await one.setRemoteDescription(other.localDescription);
  for (const kind of [
    `udp 2130706431 127.0.0.1 ${port} typ host`,
    `tcp 1518280447 127.0.0.1 ${port} typ host tcptype passive`,
  ])
    await one.addIceCandidate({ candidate: `candidate:1 1 ${kind}`, sdpMid: '0', sdpMLineIndex: 0 });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  return found;
}

function tryTransport(port: number): Promise<string> {
  // biome-ignore lint/suspicious/noExplicitAny: this runs in the page, whose types are not known here
  const { WebTransport } = globalThis as any;
  return Promise.resolve(new WebTransport(`https://127.0.0.1:${port}/`).ready).then(() => 'open', String);
}
