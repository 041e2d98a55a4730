// Where a person's hand goes: addresses, history, tabs.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Input } from '@pilothouse/bus';
import type { Frame, Page } from 'playwright-core';
import { startDeadline, within } from './deadline.ts';
import { StepFailure, stale } from './failure.ts';
import { isOpenable } from './openable.ts';
import type { Pages } from './pages.ts';

/** A page that takes longer goes on loading, in sight of whoever drives. */
const GO_MS = 3000;
const ACTIVE_MS = 500;
/** One that was stopped says so sooner, where it says so at all. */
const STOP_MS = 40;

export type Going = Extract<
  Input,
  { action: 'navigate' | 'back' | 'forward' | 'reload' | 'new_page' | 'close_page' | 'focus' }
>;

export type GoingAbout = {
  /** `signal`: nobody wants it any more. Then nothing more is begun, and this ends when what was begun has arrived. */
  go(going: Going, signal: AbortSignal): Promise<void>;
  /** Breaks off what is still on its way, and ends when nothing more comes of it. */
  stop(): Promise<void>;
};

export function createGoing(pages: Pages): GoingAbout {
  const underWay = new Map<Page, Promise<unknown>>();

  /** The outcome, or undefined where it takes long. */
  async function soon<T>(page: Page, signal: AbortSignal, going: Promise<T>): Promise<T | undefined> {
    let isOver = false;
    const noted = going.finally(() => {
      isOver = true;
      if (underWay.get(page) === noted) underWay.delete(page);
    });
    underWay.set(page, noted);
    return within(startDeadline(GO_MS, signal), noted).catch((error) => {
      if (isOver) throw error;
      return undefined;
    });
  }

  async function navigate(page: Page, url: string, signal: AbortSignal): Promise<void> {
    if (!isOpenable(url)) throw new StepFailure('unsupported', 'only pages of the web can be opened');
    const cdp = await pages.cdp(page);
    let errorText: string | undefined;
    await onceCommitted(page, signal, async () => {
      ({ errorText } = await whenActive(signal, () => cdp.send('Page.navigate', { url })));
      // A download, or an answer without content, breaks the navigation off and is none.
      if (errorText === 'net::ERR_ABORTED') return 'nothing comes';
    });
    if (errorText && errorText !== 'net::ERR_ABORTED') {
      throw new StepFailure('navigation_failed', `the page could not be loaded (${errorText})`);
    }
  }

  async function moveInHistory(page: Page, by: -1 | 1, signal: AbortSignal): Promise<void> {
    const cdp = await pages.cdp(page);
    const { currentIndex, entries } = await within(firmly(), cdp.send('Page.getNavigationHistory'));
    const entry = entries[currentIndex + by];
    if (!entry) throw new StepFailure('navigation_failed', 'there is no page to go to');
    const begin = () => cdp.send('Page.navigateToHistoryEntry', { entryId: entry.id });
    await onceCommitted(page, signal, () => whenActive(signal, begin));
  }

  async function reload(page: Page, signal: AbortSignal): Promise<void> {
    const cdp = await pages.cdp(page);
    await onceCommitted(page, signal, () => whenActive(signal, () => cdp.send('Page.reload')));
  }

  async function openPage(url: string | undefined, signal: AbortSignal): Promise<void> {
    const page = await within(firmly(), pages.open());
    if (url !== undefined) await navigate(page, url, signal);
  }

  /** Chromium answers before the page has changed, and what is typed next is meant for the one that comes. */
  async function onceCommitted(page: Page, signal: AbortSignal, begin: () => Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const onNavigated = (frame: Frame) => frame === page.mainFrame() && resolve();
    const onClose = () => resolve();
    page.on('framenavigated', onNavigated).on('close', onClose);
    const going = begin()
      .then((answer) => (answer === 'nothing comes' ? undefined : promise))
      .finally(() => page.off('framenavigated', onNavigated).off('close', onClose));
    await soon(page, signal, going);
  }

  return {
    async go(going, signal) {
      if (signal.aborted) throw stale();
      const page = 'page' in going && going.page !== undefined ? pageCalled(pages, going.page) : pages.current();
      switch (going.action) {
        case 'navigate':
          return navigate(page, going.url, signal);
        case 'back':
        case 'forward':
          return moveInHistory(page, going.action === 'back' ? -1 : 1, signal);
        case 'reload':
          return reload(page, signal);
        case 'new_page':
          return openPage(going.url, signal);
        case 'close_page':
          return within(firmly(), page.close());
        case 'focus':
          return pages.show(page);
      }
    },
    async stop() {
      const stopping = [...underWay].map(async ([page, arrived]) => {
        const cdp = await pages.cdp(page);
        await cdp.send('Page.stopLoading');
        await Promise.race([arrived, sleep(STOP_MS)]);
        // One that could not be stopped any more says it was, and comes. Until it is there, the browser holds back what
        // it is told for the page.
        await cdp.send('Runtime.evaluate', { expression: '0' });
      });
      await Promise.allSettled(stopping);
    },
  };
}

function pageCalled(pages: Pages, name: string): Page {
  const page = pages.all().find((one) => pages.id(one) === name);
  if (!page) throw new StepFailure('not_found', 'there is no such page');
  return page;
}

/** Another driver waits for what was begun, and does not cut it off: it would happen all the same, only later. */
const firmly = () => startDeadline(GO_MS, new AbortController().signal);

/** Right after a page came, Chromium refuses for a moment to leave it. */
async function whenActive<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  const end = performance.now() + ACTIVE_MS;
  for (;;) {
    if (signal.aborted) throw stale();
    try {
      return await ask();
    } catch (error) {
      if (!/Not attached to an active page/.test(String(error)) || performance.now() > end) throw error;
      await sleep(20);
    }
  }
}
