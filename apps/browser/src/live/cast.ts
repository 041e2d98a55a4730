// The screencast of one page. Chromium sends a frame when the page paints, and the next one when we have acknowledged
// the last: acknowledging at the target rate is what sets the rate.

import type { CDPSession, Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { startDeadline } from '../common/deadline.ts';
import type { Pages } from '../pages/pages.ts';
import { jpegQuality, type Shot, takeShot } from './screenshot.ts';

/** A page that does not paint sends nothing; after this long we take its picture ourselves. */
const firstFrameMs = 200;
const shotMs = 2000;
const retryMs = 300;
/** Frames allowed back to back after a pause, so that a button's highlight does not delay the result of the click. */
const burst = 2;

type Options = {
  page: Page;
  pages: Pages;
  intervalMs: () => number;
  /** `drawnAt`: by the clock, where the browser says so. */
  onShot: (shot: Shot, drawnAt?: number) => void;
};

/** Casts the page until the returned function is called. */
export function startCast({ page, pages, intervalMs, onShot }: Options): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let cdp: CDPSession | undefined;
  let hasFrame = false;
  /** When the next frame may come at the target rate; a rest saves up, but not for more than a burst. */
  let dueAt = 0;
  const timers = new Set<NodeJS.Timeout>();

  function later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  }

  async function begin(): Promise<void> {
    // A session of its own: detaching it ends the cast, whatever state it is in.
    cdp = await page.context().newCDPSession(page);
    const session = cdp;
    if (signal.aborted) return close();
    session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
      if (signal.aborted) return;
      const now = performance.now();
      const interval = intervalMs();
      dueAt = Math.max(dueAt, now - interval * (burst - 1)) + interval;
      // Acknowledged before it is shown on: Chromium holds back further frames until then, and a viewer may be slow.
      const acknowledge = () =>
        void bestEffort('acknowledge a frame', session.send('Page.screencastFrameAck', { sessionId }));
      if (dueAt <= now) acknowledge();
      else later(dueAt - now, acknowledge);
      hasFrame = true;
      const shot = {
        page,
        image: Buffer.from(data, 'base64'),
        width: Math.round(metadata.deviceWidth),
        height: Math.round(metadata.deviceHeight),
        scroll: { x: metadata.scrollOffsetX, y: metadata.scrollOffsetY },
      };
      onShot(shot, metadata.timestamp && metadata.timestamp * 1000);
    });
    // Without the last frame the final state of a page that came to rest is mostly lost.
    const options = { format: 'jpeg', quality: jpegQuality, maxFramesInFlight: 1, sendLastFrame: true } as const;
    await session.send('Page.startScreencast', options);
    later(firstFrameMs, () => void sendFirst());
  }

  async function sendFirst(): Promise<void> {
    if (hasFrame) return;
    const askedAt = Date.now();
    const shot = await bestEffort('take the first picture', takeShot(pages, page, startDeadline(shotMs, signal)));
    if (shot && !hasFrame && !signal.aborted) onShot(shot, askedAt);
  }

  function close(): void {
    ended.abort();
    for (const timer of timers) clearTimeout(timer);
    if (cdp) void bestEffort('end a screencast', cdp.detach());
  }

  async function beginUntilItRuns(): Promise<void> {
    await begin().catch(() => {
      // A page that is gone cannot be cast, and need not be reported: the pages say themselves which one is next.
      if (signal.aborted || page.isClosed()) return;
      if (cdp) void bestEffort('end a failed screencast', cdp.detach());
      later(retryMs, () => void beginUntilItRuns());
    });
  }

  void beginUntilItRuns();
  return close;
}
