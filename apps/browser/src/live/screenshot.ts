// One picture of the viewport of a page.

import type { PrivateReason } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import type { Deadline } from '../common/deadline.ts';
import { within } from '../common/deadline.ts';
import type { Pages } from '../pages/pages.ts';

export const jpegQuality = 60;

/** A picture of the viewport, with what is needed to draw on it. */
export type Shot = {
  page: Page;
  image: Uint8Array;
  width: number;
  height: number;
  scroll: { x: number; y: number };
  /** Why not every viewer may see it, and under which epoch it was taken. Set by the code that keeps it. */
  privateReason?: PrivateReason;
  epoch?: number;
};

/** Straight from the browser: Playwright's own screenshot changes the page's styles first, which viewers would see. */
export async function takeShot(pages: Pages, page: Page, deadline: Deadline): Promise<Shot> {
  const cdp = await within(deadline, pages.cdp(page));
  const [{ data }, { cssVisualViewport: view }] = await within(
    deadline,
    Promise.all([
      cdp.send('Page.captureScreenshot', { format: 'jpeg', quality: jpegQuality, optimizeForSpeed: true }),
      cdp.send('Page.getLayoutMetrics'),
    ]),
  );
  return {
    page,
    image: Buffer.from(data, 'base64'),
    width: Math.round(view.clientWidth * view.scale),
    height: Math.round(view.clientHeight * view.scale),
    scroll: { x: view.pageX, y: view.pageY },
  };
}
