// Three programs that drive a page without pause: Playwright, Puppeteer, and one that speaks the protocol itself. None of them
// may try anything again by itself: what an act or a read leads to is counted.

import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';
import { attachToPage, connectRaw, evaluate } from '../../testkit/cdp/raw-client.ts';
import { places } from '../../testkit/pages/event-log.ts';

/** What each program can do on the page of `testkit/pages/event-log.ts`. */
export type Program = {
  click(): Promise<unknown>;
  type(text: string): Promise<unknown>;
  /** Presses the button, waits, and lets go of it. */
  hold(ms: number): Promise<unknown>;
  /** Puts a text into the field by a script, while the page is busy with one of its own. */
  fill(text: string): Promise<unknown>;
  count(): Promise<number>;
  title(): Promise<string>;
  goto(url: string): Promise<unknown>;
  /** Takes the page that the session has now, on the same connection. Throws where it is not one. */
  findPage(): Promise<unknown>;
  isConnected(): boolean;
  close(): Promise<unknown>;
};
export type ProgramName = 'playwright' | 'puppeteer' | 'raw';

/** Longer than a takeover: an act that waits for so long is one that hangs. */
const actMs = 8000;
const connectMs = 40_000;
const { press } = places;

/** After a crash there are two for a moment, or none. One that the program opened itself would not be what the person sees. */
function onlyOne<P>(pages: P[]): P {
  const [page] = pages;
  if (!page || pages.length > 1) throw new Error(`there are ${pages.length} pages`);
  return page;
}

/** Scripts of the page. */
const keepBusy = 'void setTimeout(() => { for (const end = Date.now() + 60; Date.now() < end; ); }, 0)';
const putText = (text: string) => `(async (field) => {
  field.value = ${JSON.stringify(text)};
  field.dispatchEvent(new Event('input', { bubbles: true }));
})(document.querySelector('#name'))`;

export const programs: Record<ProgramName, (wsUrl: string) => Promise<Program>> = {
  async playwright(wsUrl) {
    const browser = await chromium.connectOverCDP(wsUrl, { timeout: connectMs });
    const context = browser.contexts()[0];
    if (!context) throw new Error('the program sees no context');
    const find = () => {
      const found = onlyOne(context.pages());
      found.setDefaultTimeout(actMs);
      return found;
    };
    let page = find();
    return {
      click: () => page.locator('#press').click(),
      type: (text) => page.locator('#name').pressSequentially(text),
      async hold(ms) {
        await page.mouse.move(press.x, press.y);
        await page.mouse.down();
        await sleep(ms);
        await page.mouse.up();
      },
      async fill(text) {
        await page.evaluate(keepBusy);
        await page.locator('#name').fill(text);
      },
      count: () => page.locator('li').count(),
      title: () => page.title(),
      goto: (url) => page.goto(url),
      async findPage() {
        page = find();
      },
      isConnected: () => browser.isConnected(),
      close: () => browser.close(),
    };
  },

  async puppeteer(wsUrl) {
    const connecting = { browserWSEndpoint: wsUrl, defaultViewport: null, protocolTimeout: connectMs };
    const browser = await puppeteer.connect(connecting);
    const find = async () => {
      const found = onlyOne(await browser.pages());
      found.setDefaultTimeout(actMs);
      return found;
    };
    let page = await find();
    // Where it was refused to let go of a button, it takes the button for pressed and presses it no more, until it is told.
    let isSure = true;
    const surely = async (act: () => Promise<unknown>) => {
      if (!isSure) await page.mouse.reset();
      isSure = false;
      await act();
      isSure = true;
    };
    return {
      click: () => surely(() => page.click('#press')),
      type: (text) => page.type('#name', text),
      hold: (ms) =>
        surely(async () => {
          await page.mouse.move(press.x, press.y);
          await page.mouse.down();
          await sleep(ms);
          await page.mouse.up();
        }),
      async fill(text) {
        await page.evaluate(keepBusy);
        await page.evaluate(putText(text));
      },
      count: () => page.$$eval('li', (items) => items.length),
      title: () => page.title(),
      goto: (url) => page.goto(url),
      async findPage() {
        page = await find();
        isSure = true;
      },
      isConnected: () => browser.connected,
      close: () => browser.disconnect(),
    };
  },

  async raw(wsUrl) {
    const client = await connectRaw(wsUrl);
    let { sessionId } = await attachToPage(client);
    const mouse = (type: string) =>
      client.send('Input.dispatchMouseEvent', { type, ...press, button: 'left', clickCount: 1 }, sessionId);
    const key = (type: string, text: string) =>
      client.send('Input.dispatchKeyEvent', { type, key: text, text: type === 'keyDown' ? text : '' }, sessionId);
    const run = (expression: string) => evaluate(client, sessionId, expression);
    return {
      async click() {
        await mouse('mousePressed');
        await mouse('mouseReleased');
      },
      async type(text) {
        await run('document.querySelector("#name").focus()');
        for (const letter of text) {
          await key('keyDown', letter);
          await key('keyUp', letter);
        }
      },
      async hold(ms) {
        await mouse('mousePressed');
        await sleep(ms);
        await mouse('mouseReleased');
      },
      async fill(text) {
        await run(keepBusy);
        await client.send('Runtime.evaluate', { expression: putText(text), awaitPromise: true }, sessionId);
      },
      count: async () => Number(await run('document.querySelectorAll("li").length')),
      title: async () => String(await run('document.title')),
      goto: (url) => client.send('Page.navigate', { url }, sessionId),
      async findPage() {
        const { targetInfos } = await client.send('Target.getTargets');
        onlyOne((targetInfos as { type: string }[]).filter(({ type }) => type === 'page')); // as the protocol has it
        ({ sessionId } = await attachToPage(client));
      },
      isConnected: client.isOpen,
      close: async () => client.close(),
    };
  },
};
