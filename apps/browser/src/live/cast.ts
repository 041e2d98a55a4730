// The screencast of one page. Chromium sends a frame when the page paints, and the next one when we have acknowledged
// the last: acknowledging at the target rate is what sets the rate.

import type { CDPSession, Page } from 'playwright-core';
import { startDeadline } from './deadline.ts';
import type { Pages } from './pages.ts';
import { JPEG_QUALITY, type Shot, takeShot } from './picture.ts';

/** A page that does not paint sends nothing; after this long we take its picture ourselves. */
const FIRST_FRAME_MS = 200;
const SHOT_MS = 2000;
const RETRY_MS = 300;
/** So many may follow at once on a rest: what a press lights up must not hold back what it leads to. */
const BURST = 2;

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
      dueAt = Math.max(dueAt, now - interval * (BURST - 1)) + interval;
      // Acknowledged before it is shown on: Chromium holds back further frames until then, and a viewer may be slow.
      const acknowledge = () => void session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
      if (dueAt <= now) acknowledge();
      else later(dueAt - now, acknowledge);
      hasFrame = true;
      const shot = {
        page,
        image: Buffer.from(data, 'base64'),
        width: Math.round(metadata.deviceWidth),
        height: Math.round(metadata.deviceHeight),
        scroll: { x: metadata.scrollOffsetX, y: metadata.scrollOffsetY },
        isPrivate: false,
      };
      onShot(shot, metadata.timestamp && metadata.timestamp * 1000);
    });
    // Without the last frame the final state of a page that came to rest is mostly lost.
    const options = { format: 'jpeg', quality: JPEG_QUALITY, maxFramesInFlight: 1, sendLastFrame: true } as const;
    await session.send('Page.startScreencast', options);
    later(FIRST_FRAME_MS, () => void sendFirst());
  }

  async function sendFirst(): Promise<void> {
    if (hasFrame) return;
    const askedAt = Date.now();
    const shot = await takeShot(pages, page, startDeadline(SHOT_MS, signal)).catch(() => undefined);
    if (shot && !hasFrame && !signal.aborted) onShot(shot, askedAt);
  }

  function close(): void {
    ended.abort();
    for (const timer of timers) clearTimeout(timer);
    cdp?.detach().catch(() => undefined);
  }

  async function beginUntilItRuns(): Promise<void> {
    await begin().catch(() => {
      // A page that is gone cannot be cast, and nobody needs to be told: the pages say themselves which one is next.
      if (signal.aborted || page.isClosed()) return;
      cdp?.detach().catch(() => undefined);
      later(RETRY_MS, () => void beginUntilItRuns());
    });
  }

  void beginUntilItRuns();
  return close;
}
