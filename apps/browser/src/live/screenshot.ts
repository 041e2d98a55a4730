import type { Page } from 'playwright-core';
import type { Deadline } from './deadline.ts';
import { within } from './deadline.ts';
import type { Pages } from './pages.ts';

export const JPEG_QUALITY = 60;

/** A picture of the viewport, with what is needed to draw on it. */
export type Shot = {
  page: Page;
  image: Uint8Array;
  width: number;
  height: number;
  scroll: { x: number; y: number };
  /** Only for who drives, and who did when it was taken. Whoever keeps it says so. */
  isPrivate: boolean;
  epoch?: number;
};

/** Straight from the browser: the library's own screenshot changes the page's styles first, which viewers would see. */
export async function takeShot(pages: Pages, page: Page, deadline: Deadline): Promise<Shot> {
  const cdp = await within(deadline, pages.cdp(page));
  const [{ data }, { cssVisualViewport: view }] = await within(
    deadline,
    Promise.all([
      cdp.send('Page.captureScreenshot', { format: 'jpeg', quality: JPEG_QUALITY, optimizeForSpeed: true }),
      cdp.send('Page.getLayoutMetrics'),
    ]),
  );
  return {
    page,
    image: Buffer.from(data, 'base64'),
    width: Math.round(view.clientWidth * view.scale),
    height: Math.round(view.clientHeight * view.scale),
    scroll: { x: view.pageX, y: view.pageY },
    isPrivate: false,
  };
}
