import type { Page } from 'playwright-core';
import { StepFailure } from '../failure.ts';
import { isOpenable } from '../openable.ts';
import type { Hands } from './hands.ts';

const options = ({ deadline }: Hands) => ({ waitUntil: 'domcontentloaded', timeout: deadline.leftMs() }) as const;

const ERROR_PAGE_MS = 500;

export async function navigate(hands: Hands, url: string): Promise<void> {
  if (!isOpenable(url)) throw new StepFailure('unsupported', 'only pages of the web can be opened');
  const { page, deadline } = hands;
  try {
    await page.goto(url, options(hands));
  } catch (error) {
    // Chromium's own page about the failure comes a moment later, and would break off whatever is opened next.
    const isError = (where: URL) => where.protocol === 'chrome-error:';
    if (/net::ERR_/.test(String(error))) await waitForUrl(page, isError, deadline.atMost(ERROR_PAGE_MS).leftMs());
    throw error;
  }
}

export async function reload(hands: Hands): Promise<void> {
  await hands.page.reload(options(hands));
}

export async function move(hands: Hands, direction: 'back' | 'forward'): Promise<void> {
  const { page } = hands;
  const from = page.url();
  const response = await (direction === 'back' ? page.goBack(options(hands)) : page.goForward(options(hands)));
  // A page from the same document answers nothing either, but then the address has changed.
  if (!response && page.url() === from)
    throw new StepFailure('navigation_failed', `there is no page to go ${direction} to`);
}

function waitForUrl(page: Page, isThere: (url: URL) => boolean, timeout: number): Promise<void> {
  // Some failures have no such page.
  return page.waitForURL(isThere, { timeout, waitUntil: 'commit' }).catch(() => undefined);
}
