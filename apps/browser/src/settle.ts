import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame, Page, Request } from 'playwright-core';
import type { Deadline } from './deadline.ts';
import { pause } from './deadline.ts';

/** How soon after an act a page usually begins to load another. */
const REACTION_MS = 80;
const LOAD_MS = 3000;

/**
 * Watches from before an act whether it makes the page load another. `rest` then waits for that, for a while: pages that
 * never finish loading are common, so the network need not be idle, and lateness is no failure.
 */
export function watchLoading(page: Page) {
  let pending: Request | undefined;
  const onRequest = (request: Request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) pending = request;
  };
  const onEnd = (request: Request) => {
    if (request === pending) pending = undefined;
  };
  const onNavigated = (frame: Frame) => {
    if (frame === page.mainFrame()) pending = undefined;
  };
  page.on('request', onRequest).on('requestfailed', onEnd).on('framenavigated', onNavigated);

  return {
    async rest(front: () => Page, deadline: Deadline): Promise<void> {
      const bounded = deadline.atMost(LOAD_MS);
      await pause(REACTION_MS, bounded);
      while (pending && !bounded.isOver()) await sleep(10);
      await front()
        .waitForLoadState('load', { timeout: bounded.leftMs() })
        .catch(() => undefined);
    },
    close(): void {
      page.off('request', onRequest).off('requestfailed', onEnd).off('framenavigated', onNavigated);
    },
  };
}
