// Whether an act set something in motion, and the wait until that has come to rest. Pages that never finish loading are
// common, so the wait is short and lateness is no failure; a page on which nothing moves costs one round trip.

import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Frame, Page, Request } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, within } from '../common/deadline.ts';
import type { Pages } from './pages.ts';

const loadMs = 3000;
/** How long the page may take to fetch what it wants after an act, before we say that the act is over. */
const fetchMs = 500;
/** What is asked for begins at once, unless the page or its rules prevent it. */
const beginMs = 500;
const pollMs = 5;

/** How far a page that is loading has to be: complete for a picture of it, else only there. */
export type Until = 'load' | 'domcontentloaded';

export type Loading = {
  rest(pages: Pick<Pages, 'current' | 'decided'>, until: Until, deadline: Deadline): Promise<void>;
  close(): void;
};

/** Begins to watch; call it before the act. */
export function watchLoading(page: Page, cdp: CDPSession, mainFrame: string): Loading {
  const fetching = new Set<Request>();
  const context = page.context();
  /** Asked for, and begun: the end of an older load, which comes between the two, is not the end of this. */
  let isAsked = false;
  let isLeaving = false;
  let windows = 0;

  const isMain = ({ frameId }: { frameId: string }) => frameId === mainFrame;
  const onAsked = (event: { frameId: string }) => {
    if (isMain(event)) isAsked = true;
  };
  const onLeave = (event: { frameId: string }) => {
    if (!isMain(event)) return;
    isAsked = false;
    isLeaving = true;
  };
  const onStopped = (event: { frameId: string }) => {
    if (isMain(event)) isLeaving = false;
  };
  const onNavigated = (frame: Frame) => {
    if (frame !== page.mainFrame()) return;
    isAsked = false;
    isLeaving = false;
  };
  const onRequest = (request: Request) => {
    if (['fetch', 'xhr'].includes(request.resourceType())) fetching.add(request);
  };
  const onEnd = (request: Request) => void fetching.delete(request);
  const onWindow = () => {
    windows += 1;
  };
  const onPage = () => {
    windows -= 1;
  };
  page.on('request', onRequest).on('requestfinished', onEnd).on('requestfailed', onEnd);
  page.on('framenavigated', onNavigated);
  context.on('page', onPage);
  cdp.on('Page.windowOpen', onWindow);
  cdp.on('Page.frameRequestedNavigation', onAsked);
  cdp.on('Page.frameStartedNavigating', onLeave);
  cdp.on('Page.frameStoppedLoading', onStopped);

  return {
    async rest(pages, until, deadline) {
      deadline.note('waiting for the page to come to rest');
      const bounded = deadline.atMost(loadMs);
      // What the act set in motion at once is told before this is answered.
      await bestEffort(
        'wait for the page after an act',
        within(bounded, cdp.send('Runtime.evaluate', { expression: '0' })),
      );
      const fetches = bounded.atMost(fetchMs);
      const begins = bounded.atMost(beginMs);
      // A site may be slow to answer what it was sent. Until then it is unknown whether it has it, so that is waited for.
      const isMoving = () =>
        (isLeaving && !deadline.isOver()) ||
        (isAsked && !begins.isOver()) ||
        (windows > 0 && !bounded.isOver()) ||
        (fetching.size > 0 && !fetches.isOver());
      while (isMoving()) await sleep(pollMs);
      await bestEffort('wait for new pages', within(bounded, pages.decided()));
      const loaded = deadline.atMost(loadMs);
      const load = pages.current().waitForLoadState(until, { timeout: loaded.leftMs(), signal: loaded.signal });
      await bestEffort('wait for the page to load', load);
    },
    close() {
      page.off('request', onRequest).off('requestfinished', onEnd).off('requestfailed', onEnd);
      page.off('framenavigated', onNavigated);
      context.off('page', onPage);
      cdp.off('Page.windowOpen', onWindow);
      cdp.off('Page.frameRequestedNavigation', onAsked);
      cdp.off('Page.frameStartedNavigating', onLeave);
      cdp.off('Page.frameStoppedLoading', onStopped);
    },
  };
}
