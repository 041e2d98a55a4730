// Pictures of a page that moves without end: taken three times a second they cost a fraction of what a screencast does,
// which Chromium paints for at its full rate however seldom a frame is asked for.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { startDeadline } from '../common/deadline.ts';
import type { Pages } from '../pages/pages.ts';
import { type Shot, takeShot } from './screenshot.ts';

const minPollMs = 333;
/** A page that gives no picture for this long is asked again. */
const shotMs = 5000;
/** After this many equal pictures in a row the page is at rest. */
const sameAtRest = 2;

/** `askedAt`: by the clock; what it shows may have been drawn then. */
type Options = {
  page: Page;
  pages: Pages;
  intervalMs: () => number;
  onShot: (shot: Shot, askedAt: number) => void;
  onRest: () => void;
};

/** Shows what has changed until the returned function is called, or the page rests. */
export function startPoll({ page, pages, intervalMs, onShot, onRest }: Options): () => void {
  const ended = new AbortController();
  const { signal } = ended;

  async function run(): Promise<void> {
    let last: Uint8Array | undefined;
    let same = 0;
    while (!signal.aborted && same < sameAtRest) {
      const begun = performance.now();
      const askedAt = Date.now();
      const shot = await bestEffort(
        'take a picture while polling',
        takeShot(pages, page, startDeadline(shotMs, signal)),
      );
      if (signal.aborted) return;
      same = shot && last && Buffer.compare(shot.image, last) === 0 ? same + 1 : 0;
      if (shot && same === 0) onShot(shot, askedAt);
      last = shot?.image ?? last;
      await sleep(Math.max(0, begun + Math.max(minPollMs, intervalMs()) - performance.now()), undefined, { signal });
    }
    onRest();
  }

  const over = run().catch((error) => {
    // Its sleep rejects when it is ended.
    if (!signal.aborted) throw error;
  });
  void bestEffort('poll a page', over);
  return () => ended.abort();
}
