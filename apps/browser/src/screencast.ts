// Live pixels, only while somebody watches. Chromium sends a frame when the page paints, and the next one when we have
// acknowledged the last: acknowledging at the target rate is what sets the rate.

import type { CDPSession, Page } from 'playwright-core';
import { startDeadline } from './deadline.ts';
import type { Pages } from './pages.ts';
import { JPEG_QUALITY, type Shot, takeShot } from './picture.ts';

/** A page that does not paint sends nothing; after this long we take its picture ourselves. */
const FIRST_FRAME_MS = 200;
const SHOT_MS = 2000;

export type Screencast = {
  /** Somebody watches, for so long. */
  watch(forMs: number): void;
  /** The picture on the screen as the cast last had it; undefined while it does not run. */
  latest(): Shot | undefined;
  close(): void;
};

type Options = { pages: Pages; onShot: (shot: Shot) => void; intervalMs?: number };

export function createScreencast({ pages, onShot, intervalMs = 100 }: Options): Screencast {
  let watchedUntil = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: { page: Page; close(): void } | undefined;
  let latest: Shot | undefined;

  function keep(shot: Shot): void {
    latest = shot;
    onShot(shot);
  }

  function stop(): void {
    clearTimeout(timer);
    running?.close();
    running = undefined;
    latest = undefined;
  }

  function start(): void {
    const page = pages.current();
    if (running?.page === page) return;
    running?.close();
    latest = undefined;
    running = { page, close: cast({ page, pages, intervalMs, onShot: keep }) };
  }
  pages.onSwitch(() => running && start());

  return {
    watch(forMs) {
      watchedUntil = Math.max(watchedUntil, performance.now() + forMs);
      clearTimeout(timer);
      timer = setTimeout(stop, watchedUntil - performance.now());
      start();
    },
    latest: () => (latest?.page === pages.current() ? latest : undefined),
    close: stop,
  };
}

type CastOptions = { page: Page; pages: Pages; intervalMs: number; onShot: (shot: Shot) => void };

/** Casts one page until the returned function is called. */
function cast({ page, pages, intervalMs, onShot }: CastOptions): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let cdp: CDPSession | undefined;
  let acknowledgedAt = 0;
  let hasFrame = false;
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
      const acknowledge = () => {
        acknowledgedAt = performance.now();
        session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
      };
      later(Math.max(0, acknowledgedAt + intervalMs - performance.now()), acknowledge);
      hasFrame = true;
      onShot({
        page,
        image: Buffer.from(data, 'base64'),
        width: Math.round(metadata.deviceWidth),
        height: Math.round(metadata.deviceHeight),
        scroll: { x: metadata.scrollOffsetX, y: metadata.scrollOffsetY },
      });
    });
    // Without the last frame the final state of a page that came to rest is mostly lost.
    const options = { format: 'jpeg', quality: JPEG_QUALITY, maxFramesInFlight: 1, sendLastFrame: true } as const;
    await session.send('Page.startScreencast', options);
    later(FIRST_FRAME_MS, () => void sendFirst());
  }

  async function sendFirst(): Promise<void> {
    if (hasFrame) return;
    const shot = await takeShot(pages, page, startDeadline(SHOT_MS, signal)).catch(() => undefined);
    if (shot && !hasFrame && !signal.aborted) onShot(shot);
  }

  function close(): void {
    ended.abort();
    for (const timer of timers) clearTimeout(timer);
    cdp?.detach().catch(() => undefined);
  }

  // A page that is gone cannot be cast, and nobody needs to be told: the pages say themselves which one is next.
  begin().catch(() => undefined);
  return close;
}
