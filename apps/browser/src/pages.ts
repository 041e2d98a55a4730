// The open pages of a session, and which of them is in front.

import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Deadline } from './deadline.ts';
import { within } from './deadline.ts';

/** No page may fill the machine by opening others. */
export const MAX_PAGES = 20;

export type Place = { url: string; title: string };

export type Pages = {
  current(): Page;
  all(): Page[];
  /** The name of a page within its session. */
  id(page: Page): string;
  cdp(page: Page): Promise<CDPSession>;
  place(page: Page, deadline: Deadline): Promise<Place>;
  scroll(page: Page, deadline: Deadline): Promise<{ x: number; y: number }>;
  onSwitch(listener: () => void): void;
};

type Options = { context: BrowserContext; first: Page; onCrash: () => void };

export function followPages({ context, first, onCrash }: Options): Pages {
  let current = first;
  let count = 0;
  const ids = new WeakMap<Page, string>();
  const sessions = new WeakMap<Page, Promise<CDPSession>>();
  const listeners: (() => void)[] = [];

  function show(page: Page): void {
    if (page === current) return;
    current = page;
    for (const listener of listeners) listener();
  }

  function adopt(page: Page): void {
    count += 1;
    ids.set(page, `p${count}`);
    page.once('close', () => page === current && void showAnother());
    page.once('crash', () => {
      if (page === current) onCrash();
      // Nobody looks at it, and a dead page only gets in the way of saving the state.
      else page.close().catch(() => undefined);
    });
  }

  async function showAnother(): Promise<void> {
    // A session always has a page. If even a blank one cannot be had, the browser is ending, and says so by itself.
    const next = context.pages().at(-1) ?? (await context.newPage().catch(() => undefined));
    if (next) show(next);
  }

  for (const page of context.pages()) adopt(page);
  // What a page opens comes to the front, as it does for a person.
  context.on('page', (page) => {
    if (context.pages().length > MAX_PAGES) return void page.close().catch(() => undefined);
    adopt(page);
    show(page);
  });

  function cdp(page: Page): Promise<CDPSession> {
    const session = sessions.get(page) ?? context.newCDPSession(page);
    sessions.set(page, session);
    return session;
  }

  return {
    current: () => current,
    all: () => context.pages(),
    id: (page) => ids.get(page) ?? 'p0',
    cdp,
    // Asked of the browser, not of the page: a page that hangs cannot hold back the answer.
    place: async (page, deadline) => {
      const { targetInfo } = await within(
        deadline,
        cdp(page).then((session) => session.send('Target.getTargetInfo')),
      );
      return { url: targetInfo.url, title: titleOf(targetInfo) };
    },
    scroll: async (page, deadline) => {
      const { cssVisualViewport } = await within(
        deadline,
        cdp(page).then((session) => session.send('Page.getLayoutMetrics')),
      );
      return { x: cssVisualViewport.pageX, y: cssVisualViewport.pageY };
    },
    onSwitch: (listener) => void listeners.push(listener),
  };
}

/** Chromium puts the address where a page gives no title. */
function titleOf({ url, title }: Place): string {
  const isAddress = title !== '' && url.replace(/^\w+:\/\//, '').startsWith(title);
  return isAddress || title === url ? '' : title;
}
