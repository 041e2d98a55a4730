// The mouse button of agents, and the pages on which it is down: a new driver must find it up.

import type { Page } from 'playwright-core';

type Press = { clickCount?: number };

export type MouseButton = {
  down(page: Page, press?: Press): Promise<void>;
  up(page: Page, press?: Press): Promise<void>;
  isDown(page: Page): boolean;
  /** Releases it wherever it is down, beside the page, so that nothing is clicked. */
  release(): Promise<void>;
};

const outside = -10;

/** `isCrashed`: on a crashed page nothing is held any more, and the page would never say so. */
export function createMouseButton(isCrashed: (page: Page) => boolean): MouseButton {
  const held = new Set<Page>();
  const up = async (page: Page, press?: Press) => {
    await page.mouse.up(press);
    held.delete(page);
  };
  return {
    async down(page, press) {
      held.add(page);
      await page.mouse.down(press);
    },
    up,
    isDown: (page) => held.has(page),
    async release() {
      const releaseOn = async (page: Page) => {
        await page.mouse.move(outside, outside);
        await up(page);
      };
      for (const page of held) if (page.isClosed() || isCrashed(page)) held.delete(page);
      // Each by itself: a page that does not answer must not hold up the others.
      await Promise.allSettled([...held].map(releaseOn));
    },
  };
}
