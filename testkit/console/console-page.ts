// The console in a real browser, with what a test asks of a page that has to go on by itself.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** Our own page on loopback: the sandbox, which root cannot have, is not needed. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });

const viewport = { width: 1440, height: 900 };

type Watched = { states: string[]; words: string[]; alarms: string[] };

/** Runs in the page: keeps every state of the driver bar with the words that it began with, and every text in the colour of failures or in an alert. */
function watch(): void {
  const kept: Watched = { states: [], words: [], alarms: [] };
  Object.assign(globalThis, { watched: kept });
  const look = () => {
    const bar = document.querySelector('[data-testid=driver]');
    const state = bar?.getAttribute('data-state');
    if (state && kept.states.at(-1) !== state) {
      kept.states.push(state);
      kept.words.push(`${state}: ${bar?.textContent ?? ''}`);
    }
    for (const element of document.querySelectorAll('[role=alert], .text-bad-ink, .bg-bad, .bg-bad-soft')) {
      const text = (element.closest('li') ?? element).textContent?.trim() ?? '';
      if (text && !kept.alarms.includes(text)) kept.alarms.push(text);
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}

export type ConsolePage = Awaited<ReturnType<typeof openConsolePage>>;

/** A page of the console, which may be watched from its first moment. */
export async function openConsolePage(context: BrowserContext | Browser, url: string) {
  const page = await context.newPage('contexts' in context ? { viewport } : undefined);
  const errors: string[] = [];
  let loads = 0;
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('load', () => {
    loads += 1;
  });
  await page.addInitScript(watch);
  await page.goto(url);
  const driver = page.getByTestId('driver');
  const picture = page.getByTestId('picture');
  const watched = () => page.evaluate(() => (globalThis as unknown as { watched: Watched }).watched);
  const frame = () => picture.getAttribute('data-frame', { timeout: 5000 });

  return {
    page,
    errors,
    /** How often the page was loaded. */
    loads: () => loads,
    /** Waits until the bar says that one of these drives. */
    untilDriver: (states: string[], timeout: number) =>
      page.locator(states.map((state) => `[data-testid=driver][data-state=${state}]`).join(', ')).waitFor({ timeout }),
    driverState: () => driver.getAttribute('data-state'),
    driverWords: async () => ((await driver.textContent()) ?? '').replace(/\s+/g, ' '),
    /** The states that the bar was in since the page was loaded. */
    states: async () => (await watched()).states,
    /** Each of these states with the words that it began with. */
    stateWords: async () => (await watched()).words,
    /** What was said in the colour of failures, or as an alert. */
    alarms: async () => (await watched()).alarms,
    /** What no page that goes on by itself has: errors, alarms, another load. */
    async faults(): Promise<string[]> {
      const { alarms } = await watched();
      return [
        ...errors,
        ...alarms.map((alarm) => `said as a failure: ${alarm}`),
        ...(loads > 1 ? [`loaded ${loads} times`] : []),
      ];
    },
    /** For the words of a test that failed. */
    async describe(): Promise<string> {
      const words = await page.locator('[data-testid=picture-pill], [data-testid=placeholder]').allTextContents();
      return [await driver.getAttribute('data-state'), ...words, (await watched()).states.join(' → ')].join('; ');
    },
    /** Waits until the picture is live: three frames follow each other, and nothing is said over it. */
    async untilLive(timeoutMs: number): Promise<void> {
      const end = performance.now() + timeoutMs;
      let seen = new Set<string>();
      for (;;) {
        const isCovered = (await page.locator('[data-testid=picture-pill], [data-testid=placeholder]').count()) > 0;
        const id = await frame().catch(() => null);
        if (isCovered) seen = new Set();
        else if (id) seen.add(id);
        if (seen.size >= 3) return;
        if (performance.now() > end) throw new Error(`the picture is not live after ${timeoutMs} ms`);
        await sleep(40);
      }
    },
    /** Clicks at this place of the page in the picture. */
    async clickAt(place: { x: number; y: number }): Promise<void> {
      const box = await picture.boundingBox();
      if (!box) throw new Error('there is no picture');
      const scale = box.width / 1280;
      await page.mouse.click(box.x + place.x * scale, box.y + place.y * scale);
    },
    /** Opens an address in the browser that is driven. */
    async visit(address: string): Promise<void> {
      const field = page.getByTestId('address-field');
      await field.fill(address);
      await field.press('Enter');
    },
    close: () => page.close(),
  };
}
