// Whether an act set something in motion, and the wait until that has come to rest. Pages that never finish loading are
// common, so the wait is short and lateness is no failure; a page on which nothing moves costs one round trip.

import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Frame, Page, Request } from 'playwright-core';
import { type Deadline, within } from './deadline.ts';

const LOAD_MS = 3000;
/** How long the page may take to fetch what it wants after an act, before we say that the act is over. */
const FETCH_MS = 500;
/** What is asked for begins at once, unless the page or its rules prevent it. */
const BEGIN_MS = 500;
const POLL_MS = 5;

/** How far a page that is loading has to be: complete for a picture of it, else only there. */
export type Until = 'load' | 'domcontentloaded';

export type Loading = { rest(front: () => Page, until: Until, deadline: Deadline): Promise<void>; close(): void };

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
    async rest(front, until, deadline) {
      const bounded = deadline.atMost(LOAD_MS);
      // What the act set in motion at once is told before this is answered.
      await within(bounded, cdp.send('Runtime.evaluate', { expression: '0' })).catch(() => undefined);
      const fetches = bounded.atMost(FETCH_MS);
      const begins = bounded.atMost(BEGIN_MS);
      // A site may be slow to answer what it was sent. Until then nobody knows that it has it, so that is waited for.
      const isMoving = () =>
        (isLeaving && !deadline.isOver()) ||
        (isAsked && !begins.isOver()) ||
        (windows > 0 && !bounded.isOver()) ||
        (fetching.size > 0 && !fetches.isOver());
      while (isMoving()) await sleep(POLL_MS);
      const loaded = deadline.atMost(LOAD_MS);
      await front()
        .waitForLoadState(until, { timeout: loaded.leftMs(), signal: loaded.signal })
        .catch(() => undefined);
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
