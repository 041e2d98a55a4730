// Pages that are not of the web. Chromium keeps pages from leading to files, to pages of its own and to the source of
// others, by whatever way; only a driver can go there, and drivers are checked before they do. This is the
// net below them. Holding up every request to ask first would guard no better and cost each of them.

import type { BrowserContext, Frame, Page } from 'playwright-core';
import { bestEffort } from '../../common/best-effort.ts';
import { isOpenable } from './web-url.ts';

/** What Chromium shows in place of a page: nothing, what a page wrote itself, or why there is none. */
const harmless = /^(about:|chrome-error:\/\/chromewebdata\/|$)/;

const leaveMs = 2000;

/** Leaves such a page as soon as it is shown, with a word to the viewer. */
export function watchSchemes(context: BrowserContext, onRefused: (scheme: string) => void): void {
  function check(page: Page, frame: Frame): void {
    const url = frame.url();
    if (harmless.test(url) || isOpenable(url)) return;
    onRefused(URL.parse(url)?.protocol ?? '');
    // If even that cannot be done in time, the page goes.
    page
      .goto('about:blank', { timeout: leaveMs })
      .catch(() => bestEffort('close a page of a refused scheme', page.close()));
  }
  function watch(page: Page): void {
    page.on('framenavigated', (frame) => check(page, frame));
    for (const frame of page.frames()) check(page, frame);
  }
  for (const page of context.pages()) watch(page);
  context.on('page', watch);
}
