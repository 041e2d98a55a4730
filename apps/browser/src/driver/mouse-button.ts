import type { Page } from 'playwright-core';

type Press = { clickCount?: number };

/** The button of the mouse, and whether it is down somewhere: whoever takes over must find it up. */
export type Grasp = {
  down(page: Page, press?: Press): Promise<void>;
  up(page: Page, press?: Press): Promise<void>;
  /** Lets go of what is held, away from everything, so that nothing is clicked by it. */
  release(): Promise<void>;
};

const AWAY = -10;

/** `isCrashed`: of such a page nothing is held any more, and it would never say so. */
export function createGrasp(isCrashed: (page: Page) => boolean): Grasp {
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
    async release() {
      const letGo = async (page: Page) => {
        await page.mouse.move(AWAY, AWAY);
        await up(page);
      };
      for (const page of held) if (page.isClosed() || isCrashed(page)) held.delete(page);
      // Each by itself: one that does not let go must not keep the others.
      await Promise.allSettled([...held].map(letGo));
    },
  };
}
