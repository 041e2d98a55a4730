// The DevTools session of each page, and what is asked over it. The browser answers, not the page: a page that hangs
// cannot hold back the answer.

import type { CDPSession, Page } from 'playwright-core';
import { type Deadline, within } from '../common/deadline.ts';
import type { Popups } from './popups.ts';
import type { SiteChanges } from './site-changes.ts';

export type PageLocation = { url: string; title: string };

export type PageCdp = {
  cdp(page: Page): Promise<CDPSession>;
  /** The browser's id of the page's main frame. */
  mainFrame(page: Page): Promise<string>;
  place(page: Page, deadline: Deadline): Promise<PageLocation>;
  scroll(page: Page, deadline: Deadline): Promise<{ x: number; y: number }>;
};

type Options = { popups: Popups; sites: SiteChanges };

export function createPageCdp({ popups, sites }: Options): PageCdp {
  const sessions = new WeakMap<Page, Promise<CDPSession>>();
  /** It stays the same for the life of the page. */
  const mainFrames = new WeakMap<Page, string>();

  async function open(page: Page): Promise<CDPSession> {
    const session = await page.context().newCDPSession(page);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    // The id of a page is that of its main frame.
    const frameId = targetInfo.targetId;
    mainFrames.set(page, frameId);
    popups.follow(page, session, frameId);
    sites.follow(page, session, frameId);
    // With this the browser reports what the page sets in motion.
    const [{ frameTree }] = await Promise.all([session.send('Page.getFrameTree'), session.send('Page.enable')]);
    sites.begin(page, frameTree.frame.url, frameTree.frame.domainAndRegistry);
    return session;
  }

  function cdp(page: Page): Promise<CDPSession> {
    const session = sessions.get(page) ?? open(page);
    sessions.set(page, session);
    return session;
  }

  return {
    cdp,
    async mainFrame(page) {
      await cdp(page);
      return mainFrames.get(page) ?? '';
    },
    async place(page, deadline) {
      const { targetInfo } = await within(
        deadline,
        cdp(page).then((session) => session.send('Target.getTargetInfo')),
      );
      return { url: targetInfo.url, title: titleOf(targetInfo) };
    },
    async scroll(page, deadline) {
      const { cssVisualViewport } = await within(
        deadline,
        cdp(page).then((session) => session.send('Page.getLayoutMetrics')),
      );
      return { x: cssVisualViewport.pageX, y: cssVisualViewport.pageY };
    },
  };
}

/** Chromium gives the address of a page without a title, and between two documents, without an address, the old title. */
function titleOf({ url, title }: PageLocation): string {
  if (url === '') return '';
  const isAddress = title !== '' && url.replace(/^\w+:\/\//, '').startsWith(title);
  return isAddress || title === url ? '' : title;
}
