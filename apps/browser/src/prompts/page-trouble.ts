// Why a page does not show what was asked of it: it crashed, or the guard refused its address. Over with its next document.

import type { PageTrouble } from '@pilothouse/contract';
import type { Page, Request } from 'playwright-core';
import type { Pages } from '../pages/pages.ts';

export type PageTroubles = { of(page: Page): PageTrouble | undefined; close(): void };

type Options = {
  pages: Pick<Pages, 'all' | 'onOpened' | 'isCrashed'>;
  /** What the guard refused at this address since that moment of the monotonic clock. */
  refusalOf: (url: URL, moment: number) => Omit<PageTrouble, 'kind'> | undefined;
  onChange: () => void;
};

/** What the guard refused within this time is why the page has failed. */
const justNowMs = 5000;

export function createPageTroubles({ pages, refusalOf, onChange }: Options): PageTroubles {
  const troubles = new WeakMap<Page, PageTrouble>();

  function look(page: Page, address: string): void {
    const url = URL.parse(address);
    const found = url && refusalOf(url, performance.now() - justNowMs);
    if (found) troubles.set(page, { kind: 'refused', ...found });
    else troubles.delete(page);
    onChange();
  }

  function follow(page: Page): void {
    page.on('requestfailed', (request) => {
      if (isOfPage(request, page)) look(page, request.url());
    });
    page.on('framenavigated', (frame) => {
      // Of Chromium's own error page, the request that failed has said why.
      if (frame === page.mainFrame() && !page.url().startsWith('chrome-error:')) look(page, page.url());
    });
    page.once('crash', onChange);
  }

  for (const page of pages.all()) follow(page);
  const unfollow = pages.onOpened(follow);
  return {
    of: (page) => (pages.isCrashed(page) ? { kind: 'crashed', target: null, reason: null } : troubles.get(page)),
    close: unfollow,
  };
}

/** Whether it was to bring the document of the page itself. */
function isOfPage(request: Request, page: Page): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame() === page.mainFrame();
  } catch {
    // Playwright knows no frame of a page that is only being opened.
    return false;
  }
}
