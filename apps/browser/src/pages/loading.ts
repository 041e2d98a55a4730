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
/** A form that is sent in a frame changes the frame; frames that load by themselves are not waited for longer. */
const frameMs = 1500;
const pollMs = 5;

/** How far a page that is loading has to be: complete for a picture of it, else only there. */
export type Until = 'load' | 'domcontentloaded';

export type Loading = {
  rest(pages: Pick<Pages, 'current' | 'decided'>, until: Until, deadline: Deadline): Promise<void>;
  close(): void;
};

/** The frames that are on their way to another document, by their ids and by their requests. */
function createFrameLoads() {
  const asked = new Set<unknown>();
  const loading = new Set<unknown>();
  return {
    ask: (frame: unknown) => void asked.add(frame),
    begin(frame: unknown) {
      asked.delete(frame);
      loading.add(frame);
    },
    end: (frame: unknown) => void loading.delete(frame),
    areAsked: () => asked.size > 0,
    areLoading: () => loading.size > 0,
  };
}

/** Begins to watch; call it before the act. */
export function watchLoading(page: Page, cdp: CDPSession, mainFrame: string): Loading {
  const fetching = new Set<Request>();
  /** Asked for, and begun: the end of an older load, which comes between the two, is not the end of this. */
  let isAsked = false;
  let isLeaving = false;
  let windows = 0;

  const frames = createFrameLoads();
  const isMain = ({ frameId }: { frameId: string }) => frameId === mainFrame;
  const onAsked = (event: { frameId: string }) => {
    if (isMain(event)) isAsked = true;
    else frames.ask(event.frameId);
  };
  const onLeave = (event: { frameId: string }) => {
    if (!isMain(event)) return frames.begin(event.frameId);
    isAsked = false;
    isLeaving = true;
  };
  const onStopped = (event: { frameId: string }) => {
    if (isMain(event)) isLeaving = false;
    else frames.end(event.frameId);
  };
  const onDetached = ({ frameId }: { frameId: string }) => frames.end(frameId);
  const onNavigated = (frame: Frame) => {
    if (frame !== page.mainFrame()) return;
    isAsked = false;
    isLeaving = false;
  };
  const onRequest = (request: Request) => {
    if (['fetch', 'xhr'].includes(request.resourceType())) fetching.add(request);
    // Frames of other sites have processes of their own, and only their requests are told here.
    else if (request.isNavigationRequest() && request.frame() !== page.mainFrame()) frames.begin(request);
  };
  const onEnd = (request: Request) => void (fetching.delete(request) || frames.end(request));
  const countWindows = (by: number) => () => {
    windows += by;
  };
  const stop = listen(page, cdp, {
    page: { request: onRequest, requestfinished: onEnd, requestfailed: onEnd, framenavigated: onNavigated },
    context: { page: countWindows(-1) },
    cdp: {
      'Page.windowOpen': countWindows(1),
      'Page.frameRequestedNavigation': onAsked,
      'Page.frameStartedNavigating': onLeave,
      'Page.frameStoppedLoading': onStopped,
      'Page.frameDetached': onDetached,
    },
  });

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
      const framed = bounded.atMost(frameMs);
      // A site may be slow to answer what it was sent. Until then it is unknown whether it has it, so that is waited for.
      const isMoving = () =>
        (isLeaving && !deadline.isOver()) ||
        (isAsked && !begins.isOver()) ||
        (windows > 0 && !bounded.isOver()) ||
        (frames.areAsked() && !begins.isOver()) ||
        (frames.areLoading() && !framed.isOver()) ||
        (fetching.size > 0 && !fetches.isOver());
      while (isMoving()) await sleep(pollMs);
      await bestEffort('wait for new pages', within(bounded, pages.decided()));
      const loaded = deadline.atMost(loadMs);
      const load = pages.current().waitForLoadState(until, { timeout: loaded.leftMs(), signal: loaded.signal });
      await bestEffort('wait for the page to load', load);
    },
    close: stop,
  };
}

// Each is called with what its event brings.
type Listeners = Record<string, (event: never) => void>;
type Source = { on(name: string, listener: (event: never) => void): unknown; off: Source['on'] };

/** Returns what ends it. */
function listen(page: Page, cdp: CDPSession, to: Record<'page' | 'context' | 'cdp', Listeners>): () => void {
  // The libraries name each event in their types; here they are a table.
  const sources = [
    [page as unknown as Source, to.page],
    [page.context() as unknown as Source, to.context],
    [cdp as unknown as Source, to.cdp],
  ] as const;
  const each = (how: 'on' | 'off') => {
    for (const [source, listeners] of sources)
      for (const [name, listener] of Object.entries(listeners)) source[how](name, listener);
  };
  each('on');
  return () => each('off');
}
