// Where a person goes: addresses, history, tabs.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Input } from '@pilothouse/bus';
import type { Page } from 'playwright-core';
import { within } from '../common/deadline.ts';
import { StepFailure, stale } from '../common/failure.ts';
import { isOpenable } from '../guard/rules/web-url.ts';
import { closePage } from '../pages/close-page.ts';
import type { Pages } from '../pages/pages.ts';
import { createPendingNavigations, type PendingNavigations } from './pending-navigations.ts';
import { uncut } from './uncut.ts';

const goMs = 3000;
const activeMs = 500;
const retryMs = 20;

export type NavigationInput = Extract<
  Input,
  { action: 'navigate' | 'back' | 'forward' | 'reload' | 'new_page' | 'new_private_page' | 'close_page' | 'focus' }
>;

export type Navigator = {
  /** `signal`: the driver was replaced. Then nothing more is begun, and this ends when what was begun has arrived. */
  go(input: NavigationInput, signal: AbortSignal): Promise<void>;
  /** Stops what is still on its way, and ends when nothing more comes of it. */
  stop(): Promise<void>;
};

/** `openPrivate`: a page that no program sees. */
export function createNavigator(pages: Pages, openPrivate: (keep: boolean) => Promise<Page>): Navigator {
  const pending = createPendingNavigations(pages);
  const browser = { pages, pending };
  return {
    async go(input, signal) {
      if (signal.aborted) throw stale();
      const page = 'page' in input && input.page !== undefined ? pageCalled(pages, input.page) : pages.current();
      switch (input.action) {
        case 'navigate':
          return navigate(browser, page, input.url, signal);
        case 'back':
        case 'forward':
          return moveInHistory(browser, page, input.action === 'back' ? -1 : 1, signal);
        case 'reload':
          return reload(browser, page, signal);
        case 'new_page':
          return openPage(browser, pages.open(), input.url, signal);
        case 'new_private_page':
          return openPage(browser, openPrivate(input.keep), input.url, signal);
        case 'close_page':
          return closePage(page, uncut(goMs));
        case 'focus':
          return pages.show(page);
      }
    },
    stop: pending.stop,
  };
}

type OpenBrowser = { pages: Pages; pending: PendingNavigations };

async function navigate({ pages, pending }: OpenBrowser, page: Page, url: string, signal: AbortSignal): Promise<void> {
  if (!isOpenable(url)) throw new StepFailure('unsupported', 'only pages of the web can be opened');
  const cdp = await pages.cdp(page);
  let errorText: string | undefined;
  await pending.onceCommitted(page, signal, async () => {
    ({ errorText } = await whenActive(signal, () => cdp.send('Page.navigate', { url })));
    // A download, or an answer without content, ends the navigation and shows no other page.
    if (errorText === 'net::ERR_ABORTED') return 'nothing comes';
  });
  if (errorText && errorText !== 'net::ERR_ABORTED') {
    throw new StepFailure('navigation_failed', `the page could not be loaded (${errorText})`);
  }
}

async function moveInHistory({ pages, pending }: OpenBrowser, page: Page, by: -1 | 1, signal: AbortSignal) {
  const cdp = await pages.cdp(page);
  const { currentIndex, entries } = await within(uncut(goMs), cdp.send('Page.getNavigationHistory'));
  const entry = entries[currentIndex + by];
  if (!entry) throw new StepFailure('navigation_failed', 'there is no page to go to');
  const begin = () => cdp.send('Page.navigateToHistoryEntry', { entryId: entry.id });
  await pending.onceCommitted(page, signal, () => whenActive(signal, begin));
}

async function reload({ pages, pending }: OpenBrowser, page: Page, signal: AbortSignal): Promise<void> {
  const cdp = await pages.cdp(page);
  await pending.onceCommitted(page, signal, () => whenActive(signal, () => cdp.send('Page.reload')));
}

async function openPage(browser: OpenBrowser, opening: Promise<Page>, url: string | undefined, signal: AbortSignal) {
  const page = await within(uncut(goMs), opening);
  if (url !== undefined) await navigate(browser, page, url, signal);
}

function pageCalled(pages: Pages, name: string): Page {
  const page = pages.all().find((one) => pages.id(one) === name);
  if (!page) throw new StepFailure('not_found', 'there is no such page');
  return page;
}

/** Right after a page came, Chromium refuses for a moment to leave it. */
async function whenActive<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  const end = performance.now() + activeMs;
  for (;;) {
    if (signal.aborted) throw stale();
    try {
      return await ask();
    } catch (error) {
      if (!/Not attached to an active page/.test(String(error)) || performance.now() > end) throw error;
      await sleep(retryMs);
    }
  }
}
