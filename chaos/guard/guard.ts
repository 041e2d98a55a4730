// Every spelling of this machine by every way a page has into the network. Nothing may reach the canary.

import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { type GuardedBrowser, openGuardedBrowser } from './browser-behind-guard.ts';
import { changing, spellings } from './spellings.ts';

const SITE = 'http://public.test';
const LOAD_MS = 5000;

/** Takes some hosts into the network by one way, in a browser context of its own. */
type Way = (page: Page, hosts: string[], port: number) => Promise<void>;

const ways: Record<string, { way: Way; atOnce: number; each: number }> = {
  navigation: {
    atOnce: 8,
    each: 1,
    way: oneByOne((page, host, port) => load(page, `http://${host}:${port}/`)),
  },
  redirect: {
    atOnce: 8,
    each: 2,
    way: oneByOne(async (page, host, port) => {
      const to = encodeURIComponent(`http://${host}:${port}/`);
      await load(page, `${SITE}/redirect?hops=2&to=${to}`);
      await load(page, `${SITE}/redirect?to=${encodeURIComponent(`https://${host}:${port}/`)}`);
    }),
  },
  'frame and popup': {
    atOnce: 6,
    each: 2,
    async way(page, hosts, port) {
      await load(page, SITE);
      await page.evaluate(
        (urls) =>
          Promise.all(
            urls.map((url) => {
              // biome-ignore lint/suspicious/noExplicitAny: this runs in the page, whose types are not known here
              const { document, open } = globalThis as any;
              const frame = document.createElement('iframe');
              frame.src = url;
              open(url);
              const loaded = new Promise((resolve) => {
                frame.onload = resolve;
                setTimeout(resolve, 2000);
              });
              document.body.append(frame);
              return loaded;
            }),
          ),
        urlsOf('http', hosts, port),
      );
      await Promise.all(
        page
          .context()
          .pages()
          .map((popup) => popup.waitForLoadState('load', { timeout: LOAD_MS }).catch(ignore)),
      );
    },
  },
  fetch: {
    atOnce: 20,
    each: 4,
    async way(page, hosts, port) {
      await load(page, SITE);
      await page.evaluate(
        (urls) =>
          Promise.all(
            urls.map((url) => {
              // biome-ignore lint/suspicious/noExplicitAny: this runs in the page, whose types are not known here
              const { Image, Worker } = globalThis as any;
              const soon = (start: (done: () => void) => void) =>
                new Promise<void>((resolve) => {
                  setTimeout(resolve, 3000);
                  start(resolve);
                });
              return Promise.all([
                fetch(url, { mode: 'no-cors' }).catch(() => undefined),
                fetch(url.replace('http:', 'https:'), { mode: 'no-cors', method: 'POST', body: 'x' }).catch(
                  () => undefined,
                ),
                soon((done) => {
                  const image = new Image();
                  image.onerror = done;
                  image.src = `${url}?image`;
                }),
                soon((done) => {
                  const worker = new Worker('/worker.js');
                  worker.onmessage = done;
                  worker.postMessage(`${url}?worker`);
                }),
              ]);
            }),
          ),
        urlsOf('http', hosts, port),
      );
    },
  },
  WebSocket: {
    // Chromium makes a page wait whose sockets keep failing, so there are few to a page.
    atOnce: 8,
    each: 1,
    async way(page, hosts, port) {
      await load(page, SITE);
      await page.evaluate(
        (urls) =>
          Promise.all(
            urls.map(
              (url) =>
                new Promise((resolve) => {
                  const socket = new WebSocket(url);
                  socket.onclose = resolve;
                  socket.onopen = resolve;
                  setTimeout(resolve, 10_000);
                }),
            ),
          ),
        urlsOf('ws', hosts, port),
      );
    },
  },
  'back and forward': {
    atOnce: 8,
    each: 3,
    way: oneByOne(async (page, host, port) => {
      await load(page, `${SITE}/before`);
      await load(page, `http://${host}:${port}/`);
      await load(page, `${SITE}/after`);
      await page.goBack({ timeout: LOAD_MS }).catch(ignore);
      await page.goBack({ timeout: LOAD_MS }).catch(ignore);
      await page.goForward({ timeout: LOAD_MS }).catch(ignore);
    }),
  },
};

function oneByOne(take: (page: Page, host: string, port: number) => Promise<void>): Way {
  return async (page, hosts, port) => {
    for (const host of hosts) await take(page, host, port);
  };
}

type AttackResult = { spellings: number; attempts: number; refused: number; hits: number; packets: number };

/** All of it, at full size. */
export async function attackGuardByAllWays({ isSmall }: { isSmall: boolean }) {
  const size = isSmall ? { atMost: 6 } : {};
  const bare = await hitWithoutGuard(size);
  const ways = await attackGuard(size);
  const changingNames = await attackWithChangingNames(isSmall ? 6 : 300);
  const results = Object.values(ways);
  const isQuiet =
    [...results, changingNames].every(({ hits }) => hits === 0) && results.every(({ packets }) => packets === 0);
  // A way that nothing was refused on was not tried.
  const isTried = results.every(({ refused, spellings }) => refused >= spellings) && results.length >= 6;
  return {
    isGood: isQuiet && isTried && bare.reached >= (isSmall ? bare.spellings : 150),
    figures: { bare, ways, changingNames },
  };
}

/** Every way, with this number of spellings that are spread over the table. */
export async function attackGuard({ atMost = Number.POSITIVE_INFINITY } = {}) {
  const place = await openGuardedBrowser();
  try {
    const hosts = sample(spellings(), atMost);
    const results: Record<string, AttackResult> = {};
    for (const [name, { way, atOnce, each }] of Object.entries(ways)) {
      const before = { refused: refusedBy(place), hits: place.canary.hits(), packets: place.canary.packets() };
      await takeAll(place, hosts, atOnce, way);
      results[name] = {
        spellings: hosts.length,
        attempts: hosts.length * each,
        refused: refusedBy(place) - before.refused,
        hits: place.canary.hits() - before.hits,
        packets: place.canary.packets() - before.packets,
      };
      // Said as it is known: the whole takes minutes.
      console.error(`chaos: ${name} ${JSON.stringify(results[name])}`);
    }
    return results;
  } finally {
    await place.close();
  }
}

/** Names whose answers change, by navigation and by fetch, many times each. */
export async function attackWithChangingNames(times: number) {
  const place = await openGuardedBrowser();
  try {
    const hosts = Object.keys(changing);
    const names = Array.from({ length: times }, (_, i) => hosts[i % hosts.length] ?? '');
    for (const name of ['navigation', 'fetch', 'WebSocket'] as const) {
      const { way, atOnce } = ways[name] ?? {};
      if (way && atOnce) await takeAll(place, names, atOnce, way);
    }
    const asked = hosts.reduce((sum, host) => sum + (place.asked.get(host) ?? 0), 0);
    return { names: hosts.length, asked, refused: refusedBy(place), hits: place.canary.hits() };
  } finally {
    await place.close();
  }
}

/** The same table without the guard, so that it is known that the canary can be hit at all, and by how many of them. */
export async function hitWithoutGuard({ atMost = Number.POSITIVE_INFINITY } = {}) {
  const place = await openGuardedBrowser({ isGuarded: false });
  // Without a guard a packet to one of these would leave the machine.
  const leaves = /^\[(64:|2001:|2002:|::7f00|::ffff:0:7f00)/;
  const hosts = sample(spellings(), atMost).filter((host) => !leaves.test(new URL(`http://${host}/`).hostname));
  try {
    let reached = 0;
    for (const host of hosts) {
      const before = place.canary.hits();
      const page = await place.browser.newPage();
      await load(page, `http://${host}:${place.canary.port}/`);
      await page.close();
      if (place.canary.hits() > before) reached += 1;
    }
    return { spellings: hosts.length, reached };
  } finally {
    await place.close();
  }
}

async function takeAll({ browser, canary }: GuardedBrowser, hosts: string[], atOnce: number, way: Way): Promise<void> {
  const batches = Array.from({ length: Math.ceil(hosts.length / atOnce) }, (_, i) =>
    hosts.slice(i * atOnce, (i + 1) * atOnce),
  );
  const work = async () => {
    for (let batch = batches.pop(); batch; batch = batches.pop()) {
      const context: BrowserContext = await browser.newContext({ ignoreHTTPSErrors: true });
      await way(await context.newPage(), batch, canary.port);
      await context.close();
    }
  };
  await Promise.all([work(), work(), work()]);
  // What is still on its way arrives, and what was refused is told.
  await sleep(300);
}

const refusedBy = ({ refused }: GuardedBrowser) => refused.reduce((sum, { count }) => sum + count, 0);
const urlsOf = (scheme: string, hosts: string[], port: number) => hosts.map((host) => `${scheme}://${host}:${port}/`);
const ignore = () => undefined;

async function load(page: Page, url: string): Promise<void> {
  // Most of these are not to load.
  await page.goto(url, { timeout: LOAD_MS }).catch(ignore);
}

function sample<T>(all: T[], atMost: number): T[] {
  const count = Math.min(all.length, atMost);
  return all.filter((_, i) => Math.floor((i * count) / all.length) !== Math.floor(((i - 1) * count) / all.length));
}
