// Which pages are the session's: those of its own context, and of contexts beside it while they are open. A page that the
// host opens for itself is none of them.

import type { BrowserContext, Page } from 'playwright-core';

export type PageSet = {
  all(): Page[];
  /** Each page that is opened from now on, until the returned function is called. */
  onOpened(listener: (page: Page) => void): () => void;
  /** Whether the page is in a context beside the session's own: no program sees it, and it is not saved. */
  isBeside(page: Page): boolean;
  /** Pages of this context are pages of the session too, until it is closed. */
  follow(beside: BrowserContext): void;
  /** A blank page in the session's own context that counts as none of its pages. */
  openUnseen(): Promise<Page>;
};

/** `onPage`: a page was opened. It says whether the session takes it. */
export function createPageSet(context: BrowserContext, onPage: (page: Page) => boolean): PageSet {
  const contexts = new Set([context]);
  const unseen = new WeakSet<Page>();
  const listeners = new Set<(page: Page) => void>();
  let unseenToCome = 0;

  function opened(page: Page): void {
    // The library tells of it before it gives it.
    if (unseenToCome > 0 && page.context() === context && page.url() === 'about:blank') {
      unseenToCome -= 1;
      unseen.add(page);
    } else if (onPage(page)) for (const listener of listeners) listener(page);
  }
  context.on('page', opened);

  return {
    all: () => [...contexts].flatMap((one) => one.pages()).filter((page) => !unseen.has(page)),
    onOpened(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    isBeside: (page) => page.context() !== context,
    follow(beside) {
      contexts.add(beside);
      beside.on('page', opened);
      beside.once('close', () => contexts.delete(beside));
    },
    async openUnseen() {
      unseenToCome += 1;
      return context.newPage();
    },
  };
}
