// Navigations of a person that have begun and not yet arrived. A new driver has them stopped, and waits until they are.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame, Page } from 'playwright-core';
import { startDeadline, within } from '../common/deadline.ts';
import type { Pages } from '../pages/pages.ts';

/** A page that takes longer goes on loading, in sight of the person who drives. */
const goMs = 3000;
/** A navigation that was stopped says so sooner, where it says so at all. */
const stopMs = 40;

export type PendingNavigations = {
  /** Ends when the page shows another document, or takes long to. Rejects as `begin` does. */
  onceCommitted(page: Page, signal: AbortSignal, begin: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
};

export function createPendingNavigations(pages: Pick<Pages, 'cdp'>): PendingNavigations {
  const pending = new Map<Page, Promise<unknown>>();

  /** Waits for the outcome, but not for one that takes long. */
  async function soon(page: Page, signal: AbortSignal, navigation: Promise<unknown>): Promise<void> {
    let isOver = false;
    const noted = navigation.finally(() => {
      isOver = true;
      if (pending.get(page) === noted) pending.delete(page);
    });
    pending.set(page, noted);
    await within(startDeadline(goMs, signal), noted).catch((error) => {
      if (isOver) throw error;
    });
  }

  return {
    // Chromium answers before the page has changed, and what is typed next is meant for the page that comes.
    async onceCommitted(page, signal, begin) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const onNavigated = (frame: Frame) => frame === page.mainFrame() && resolve();
      const onClose = () => resolve();
      page.on('framenavigated', onNavigated).on('close', onClose);
      const navigation = begin()
        .then((answer) => (answer === 'nothing comes' ? undefined : promise))
        .finally(() => page.off('framenavigated', onNavigated).off('close', onClose));
      await soon(page, signal, navigation);
    },
    async stop() {
      const stopping = [...pending].map(async ([page, arrived]) => {
        const cdp = await pages.cdp(page);
        await cdp.send('Page.stopLoading');
        await Promise.race([arrived, sleep(stopMs)]);
        // A navigation that could not be stopped any more says it was, and comes. Until it is there, the browser holds
        // back what it is told for the page.
        await cdp.send('Runtime.evaluate', { expression: '0' });
      });
      await Promise.allSettled(stopping);
    },
  };
}
