import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { StepFailure } from '../failure.ts';
import { isOpenable } from '../openable.ts';
import type { Hands } from './hands.ts';

const STOP_MS = 40;

const options = ({ deadline }: Hands) => ({ waitUntil: 'domcontentloaded', timeout: deadline.leftMs() }) as const;

const ERROR_PAGE_MS = 500;

export async function navigate(hands: Hands, url: string): Promise<void> {
  if (!isOpenable(url)) throw new StepFailure('blocked_by_guard', 'only pages of the web can be opened');
  const { page, deadline, refused } = hands;
  const begun = performance.now();
  try {
    await load(hands, () => page.goto(url, options(hands)));
    // What is shown then is only the guard's own word on it.
    if (refused.since(begun, URL.parse(page.url())?.hostname)) throw blocked();
  } catch (error) {
    // Chromium's own page about the failure comes a moment later, and would break off whatever is opened next.
    const isError = (where: URL) => where.protocol === 'chrome-error:';
    if (/net::ERR_/.test(String(error))) await waitForUrl(page, isError, deadline.atMost(ERROR_PAGE_MS).leftMs());
    if (/net::ERR_/.test(String(error)) && refused.since(begun)) throw blocked();
    throw error;
  }
}

const blocked = () => new StepFailure('blocked_by_guard', 'this address may not be reached from here');

export async function reload(hands: Hands): Promise<void> {
  await load(hands, () => hands.page.reload(options(hands)));
}

export async function move(hands: Hands, direction: 'back' | 'forward'): Promise<void> {
  const { page } = hands;
  const from = page.url();
  const response = await load(hands, () =>
    direction === 'back' ? page.goBack(options(hands)) : page.goForward(options(hands)),
  );
  // A page from the same document answers nothing either, but then the address has changed.
  if (!response && page.url() === from)
    throw new StepFailure('navigation_failed', `there is no page to go ${direction} to`);
}

/** A new driver has what loads stopped, and waits until it has; some loads that are stopped never say so themselves. */
function load<T>({ page, pages, deadline, touch }: Hands, work: () => Promise<T>): Promise<T | undefined> {
  return touch(() => {
    const loading = work();
    const over = loading.then(
      () => undefined,
      () => undefined,
    );
    const stop = async (): Promise<undefined> => {
      const cdp = await pages.cdp(page);
      await cdp.send('Page.stopLoading');
      // One that could not be stopped any more is there soon, and its first scripts run.
      await Promise.race([over, sleep(STOP_MS)]);
      await page.waitForLoadState('domcontentloaded', { timeout: STOP_MS }).catch(() => undefined);
      await cdp.send('Runtime.evaluate', { expression: '0' });
    };
    const stopped = Promise.withResolvers<undefined>();
    const onAbort = () => void stop().then(stopped.resolve, () => stopped.resolve(undefined));
    deadline.signal.addEventListener('abort', onAbort, { once: true });
    // Whoever takes the wheel later has nothing of this to stop, and may be loading something else.
    void over.then(() => deadline.signal.removeEventListener('abort', onAbort));
    return Promise.race([loading, stopped.promise]);
  });
}

function waitForUrl(page: Page, isThere: (url: URL) => boolean, timeout: number): Promise<void> {
  // Some failures have no such page.
  return page.waitForURL(isThere, { timeout, waitUntil: 'commit' }).catch(() => undefined);
}
