// Which pages are the session's: those of its own context, and of contexts beside it while they are open. A page that the
// host opens for itself is none of them.

import type { BrowserContext, Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, within } from '../common/deadline.ts';
import { closePage } from './close-page.ts';

export type PageSet = {
  all(): Page[];
  /** Each page that is opened from now on, until the returned function is called. */
  onOpened(listener: (page: Page) => void): () => void;
  /** Whether the page is in a context beside the session's own: no program sees it, and it is not saved. */
  isBeside(page: Page): boolean;
  /** Pages of this context are pages of the session too, until it is closed. */
  follow(beside: BrowserContext): void;
  /** A blank page in the session's own context that counts as none of its pages. */
  openUnseen(deadline: Deadline): Promise<Page>;
};

/** `onPage`: a page was opened. It says whether the session takes it. */
export function createPageSet(context: BrowserContext, onPage: (page: Page) => boolean): PageSet {
  const contexts = new Set([context]);
  const unseen = new WeakSet<Page>();
  /** Blank pages that came while the host opens one for itself: it is told of a page before it learns which is its own. */
  const undecided = new Set<Page>();
  const listeners = new Set<(page: Page) => void>();
  let opening = 0;

  function take(page: Page): void {
    if (onPage(page)) for (const listener of listeners) listener(page);
  }
  function opened(page: Page): void {
    if (opening > 0 && page.context() === context && page.url() === 'about:blank') undecided.add(page);
    else take(page);
  }
  context.on('page', opened);

  /** What is left are pages that a site opened in the same moment. */
  function decide(): void {
    if (opening > 0) return;
    const left = [...undecided].filter((page) => !page.isClosed());
    undecided.clear();
    for (const page of left) take(page);
  }

  return {
    all: () => [...contexts].flatMap((one) => one.pages()).filter((page) => !unseen.has(page) && !undecided.has(page)),
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
    async openUnseen(deadline) {
      opening += 1;
      const coming = context.newPage();
      try {
        const page = await within(deadline, coming);
        unseen.add(page);
        undecided.delete(page);
        return page;
      } catch (error) {
        void bestEffort('close a page that came too late', coming.then(closePage));
        throw error;
      } finally {
        opening -= 1;
        decide();
      }
    },
  };
}
