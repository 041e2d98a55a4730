// The eyes with which acts of programs are judged: a program waits for each look, so they ask each page straight over the pipe.

import type { CDPSession, Page } from 'playwright-core';
import { createPageSessions } from '../cdp/page-sessions.ts';
import type { Chromium } from '../chromium/launch.ts';
import { createDom, type Dom } from '../dom/dom.ts';
import type { Pages } from '../pages/pages.ts';

export type ProgramEyes = { of(page: Page): Pick<Dom, 'lookAtPoint' | 'lookAtFocus'>; close(): void };

type Options = { chromium: Pick<Chromium, 'openGuest'>; pages: Pick<Pages, 'mainFrame'>; signal: AbortSignal };

export function createProgramEyes({ chromium, pages, signal }: Options): ProgramEyes {
  const sessions = createPageSessions(chromium.openGuest, signal);
  const eyes = new WeakMap<Page, Dom>();
  // A look asks, and listens to nothing. The id of a page is that of its main frame.
  const cdpOf = async (page: Page) => (await sessions.of(await pages.mainFrame(page))) as CDPSession;
  return {
    of(page) {
      const known = eyes.get(page) ?? createDom({ page, cdp: () => cdpOf(page) });
      eyes.set(page, known);
      return known;
    },
    close: sessions.close,
  };
}
