// Mouse, keys and text of a person, given to a page over the browser's own protocol.

import type { CDPSession, Page } from 'playwright-core';
import { type DocumentsOf, type Looks, lookApart } from '../dom/worlds/typing-target.ts';
import type { Pages } from '../pages/pages.ts';
import type { SiteChanges } from '../pages/site-changes.ts';
import { type DeviceInput, isTyping } from './device-input.ts';
import { compose, insertText, keyNamed, paste, pressKey } from './keyboard.ts';
import { createMouse, type Mouse } from './mouse.ts';
import { typeAmongSites } from './typing.ts';
import { uncut } from './uncut.ts';

/** As long as a busy page is waited for. */
const typeMs = 3000;

export type MouseKeyboard = {
  /** Hands the events to the browser, in order. Settles when the page has dealt with them all. */
  touch(page: Page, input: DeviceInput, signal: AbortSignal): Promise<unknown>;
  /** Releases what is held down, where nothing comes of it. */
  release(): Promise<unknown>;
};

type Options = { pages: Pick<Pages, 'cdp' | 'touch' | 'loads'>; sites: SiteChanges; documentsOf: DocumentsOf };

export function createMouseKeyboard({ pages, sites, documentsOf }: Options): MouseKeyboard {
  const mouse = createMouse(pages);
  /** How many documents each page had shown when it was last touched. */
  const loads = new WeakMap<Page, number>();
  /** Pages that had frames when they were last touched: a frame can make the whole page leave. */
  const framed = new WeakSet<Page>();
  /** What was pressed before this driver came says nothing of where the person is. */
  let since = Date.now();

  /** Throws where something other than the page has just taken it to another site. */
  async function lookBeforeTyping(cdp: CDPSession, page: Page): Promise<Looks | undefined> {
    // Chromium says what took it there before it answers this.
    if (pages.loads(page) !== loads.get(page)) await cdp.send('Page.getFrameTree');
    const looks = await lookApart(page, documentsOf, uncut(typeMs));
    // The frames of a page that was left are gone a moment before Chromium says where the page went.
    if (!looks && framed.has(page)) await cdp.send('Page.getFrameTree');
    sites.checkForPerson(page);
    if (!looks) framed.delete(page);
    return looks;
  }

  return {
    async touch(page, input, signal) {
      const cdp = await pages.cdp(page);
      if (input.action !== 'move' && input.action !== 'scroll') await pages.touch(page);
      const looks = isTyping(input) ? await lookBeforeTyping(cdp, page) : undefined;
      loads.set(page, pages.loads(page));
      if (page.frames().length > 1) framed.add(page);
      if (signal.aborted) return;
      if (looks && isTyping(input)) return typeAmongSites(input, { cdp, looks, since, deadline: uncut(typeMs) });
      // All at once: Chromium keeps their order, and waiting for each would cost a round trip through the page.
      await Promise.all(eventsOf({ mouse, cdp, page, signal }, input));
    },
    async release() {
      const released = mouse.release();
      since = Date.now();
      return released;
    },
  };
}

type Devices = { mouse: Mouse; cdp: CDPSession; page: Page; signal: AbortSignal };

function eventsOf({ mouse, cdp, page, signal }: Devices, input: DeviceInput): Promise<unknown>[] {
  switch (input.action) {
    case 'scroll':
      return mouse.scroll(cdp, page, input);
    case 'key':
      return pressKey(cdp, keyNamed(input.key, input.modifiers), input.modifiers);
    case 'type':
      return [insertText(cdp, input.text)];
    case 'compose':
      return [compose(cdp, input.text)];
    case 'paste':
      return [paste(cdp, input.text, signal)];
    default:
      return mouse.use(cdp, page, input);
  }
}
