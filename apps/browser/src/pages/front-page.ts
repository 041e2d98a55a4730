// Which page of a session is in front, and which were before. A session always has a page in front.

import type { BrowserContext, Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';

export type FrontPage = {
  current(): Page;
  /** Makes it the page in front, and tells the listeners. */
  show(page: Page): void;
  /** The page in front was closed: the one before it comes back, or a blank one. */
  showAnother(): Promise<void>;
  /** The same for a page that is not in front: `fresh` stands where `old` stood. */
  replace(old: Page, fresh: Page): void;
  onSwitch(listener: () => void): void;
};

export function createFrontPage(context: BrowserContext, first: Page): FrontPage {
  let current = first;
  /** Pages that were in front, the last one last. A page that was opened without a touch is never among them. */
  let former = context.pages().filter((page) => page !== first);
  const listeners: (() => void)[] = [];

  function show(page: Page): void {
    if (page === current) return;
    former = [...former.filter((one) => one !== page && one !== current), current];
    current = page;
    for (const listener of listeners) listener();
  }

  return {
    current: () => current,
    show,
    async showAnother() {
      former = former.filter((page) => !page.isClosed());
      // If even a blank page cannot be had, the browser is ending, and reports that by itself.
      const next = former.at(-1) ?? (await bestEffort('open a blank page', context.newPage()));
      if (next) show(next);
    },
    replace(old, fresh) {
      former = former.map((page) => (page === old ? fresh : page));
    },
    onSwitch: (listener) => void listeners.push(listener),
  };
}
