// Pages made for one test each, in a real Chromium, each with its `Dom`.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { type Deadline, startDeadline } from '../src/common/deadline.ts';
import { createDom, type Dom } from '../src/dom/dom.ts';

export type Shown = {
  page: Page;
  cdp: CDPSession;
  dom: Dom;
  [Symbol.asyncDispose](): Promise<void>;
};

export type Stage = {
  /** Shows the first of the pages. In them, {here} and {there} are addresses of two sites that serve them all. */
  show(pages: Record<string, string> | string): Promise<Shown>;
  close(): Promise<void>;
};

/** In a page: what follows it comes a while later, so that the page is shown before it is parsed. */
export const restLater = '<!-- the rest comes later -->';
const restAfterMs = 1000;

export const soon = (ms = 4000): Deadline => startDeadline(ms, new AbortController().signal);

/** `isIsolated` gives frames of another site a process of their own. */
export async function openStage({ isIsolated = false } = {}): Promise<Stage> {
  const served = new Map<string, string>();
  const server = createServer((request, response) => {
    const html = served.get(request.url ?? '');
    if (html === undefined) return void response.writeHead(404).end();
    const [first = '', rest] = html.split(restLater);
    response.setHeader('content-type', 'text/html; charset=utf-8').write(first);
    if (rest === undefined) response.end();
    else setTimeout(() => response.end(rest), restAfterMs);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  // Listening on TCP, so the address is of this kind.
  const { port } = server.address() as AddressInfo;
  let count = 0;
  const browser: Browser = await chromium.launch({
    executablePath: '/usr/lib/chromium/chromium-headless-shell',
    // The pages are ours, and root has no sandbox.
    chromiumSandbox: false,
    args: isIsolated ? ['--site-per-process'] : [],
  });

  return {
    async show(pages) {
      count += 1;
      const here = `http://127.0.0.1:${port}/${count}`;
      const there = `http://localhost:${port}/${count}`;
      const all = typeof pages === 'string' ? { '': pages } : pages;
      for (const [name, html] of Object.entries(all)) {
        served.set(`/${count}/${name}`, html.replaceAll('{here}', here).replaceAll('{there}', there));
      }
      const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
      const cdp = await page.context().newCDPSession(page);
      const dom = createDom({ page, cdp: async () => cdp });
      await dom.mask(soon());
      await page.goto(`${here}/${Object.keys(all)[0]}`);
      return {
        page,
        cdp,
        dom,
        async [Symbol.asyncDispose]() {
          dom.close();
          await page.close();
        },
      };
    },
    async close() {
      await browser.close();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}
