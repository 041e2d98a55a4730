// Pictures of a page that moves without end: taken three times a second they cost a fraction of what a screencast does,
// which Chromium paints for at its full rate however seldom a frame is asked for.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { startDeadline } from './deadline.ts';
import type { Pages } from './pages.ts';
import { type Shot, takeShot } from './picture.ts';

const POLL_MS = 333;
/** A page that gives none for so long is asked anew. */
const SHOT_MS = 5000;
/** So many times the same picture, and the page is at rest. */
const SAME_AT_REST = 2;

/** `askedAt`: by the clock; what it shows may have been drawn then. */
type Options = { page: Page; pages: Pages; onShot: (shot: Shot, askedAt: number) => void; onRest: () => void };

/** Shows what has changed until the returned function is called, or the page rests. */
export function startPoll({ page, pages, onShot, onRest }: Options): () => void {
  const ended = new AbortController();
  const { signal } = ended;

  async function run(): Promise<void> {
    let last: Uint8Array | undefined;
    let same = 0;
    while (!signal.aborted && same < SAME_AT_REST) {
      const begun = performance.now();
      const askedAt = Date.now();
      const shot = await takeShot(pages, page, startDeadline(SHOT_MS, signal)).catch(() => undefined);
      if (signal.aborted) return;
      same = shot && last && Buffer.compare(shot.image, last) === 0 ? same + 1 : 0;
      if (shot && same === 0) onShot(shot, askedAt);
      last = shot?.image ?? last;
      await sleep(Math.max(0, begun + POLL_MS - performance.now()), undefined, { signal });
    }
    onRest();
  }

  // Ended in its sleep.
  run().catch(() => undefined);
  return () => ended.abort();
}
