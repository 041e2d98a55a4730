// Opens addresses, reloads, and moves in the history. A new driver can stop what loads.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { StepFailure } from '../common/failure.ts';
import { isOpenable } from '../guard/rules/web-url.ts';
import type { ActionTools } from './action-tools.ts';

const stopMs = 40;

const options = ({ deadline }: ActionTools) => ({ waitUntil: 'domcontentloaded', timeout: deadline.leftMs() }) as const;

const errorPageMs = 500;

export async function navigate(tools: ActionTools, url: string): Promise<void> {
  if (!isOpenable(url)) throw new StepFailure('blocked_by_guard', 'only pages of the web can be opened');
  const { page, deadline, refused } = tools;
  const begun = performance.now();
  try {
    await goTo(tools, url);
    // The page that is shown then is the guard's own error page.
    if (refused.since(begun, URL.parse(page.url())?.hostname)) throw blocked();
  } catch (error) {
    // Chromium's own error page comes a moment later, and would interrupt the next navigation.
    const isError = (where: URL) => where.protocol === 'chrome-error:';
    if (/net::ERR_/.test(String(error))) await waitForUrl(page, isError, deadline.atMost(errorPageMs).leftMs());
    if (/net::ERR_/.test(String(error)) && refused.since(begun)) throw blocked();
    throw error;
  }
}

async function goTo(tools: ActionTools, url: string): Promise<void> {
  const open = () => tools.page.goto(url, options(tools));
  try {
    await load(tools, open);
  } catch (error) {
    if (!/interrupted by another navigation to "chrome-error:/.test(String(error))) throw error;
    // The error page of a load that failed before was late. This load goes on behind it; where it fails too, it says why when it is repeated.
    if ((await load(tools, () => arrives(tools))) === false) await load(tools, open);
  }
}

async function arrives({ page, deadline }: ActionTools): Promise<boolean> {
  const isErrorPage = () => page.url().startsWith('chrome-error:');
  const timeout = deadline.leftMs();
  if (isErrorPage())
    await page.waitForEvent('framenavigated', { predicate: (frame) => frame === page.mainFrame(), timeout });
  if (isErrorPage()) return false;
  await page.waitForLoadState('domcontentloaded', { timeout });
  return true;
}

const blocked = () => new StepFailure('blocked_by_guard', 'this address may not be reached from here');

export async function reload(tools: ActionTools): Promise<void> {
  await load(tools, () => tools.page.reload(options(tools)));
}

export async function move(tools: ActionTools, direction: 'back' | 'forward'): Promise<void> {
  const { page } = tools;
  const from = page.url();
  const response = await load(tools, () =>
    direction === 'back' ? page.goBack(options(tools)) : page.goForward(options(tools)),
  );
  // A move within the same document has no response either, but then the address has changed.
  if (!response && page.url() === from)
    throw new StepFailure('navigation_failed', `there is no page to go ${direction} to`);
}

/** A new driver stops the load and waits until it has ended; some loads that are stopped never say so themselves. */
function load<T>({ page, pages, deadline, touch }: ActionTools, work: () => Promise<T>): Promise<T | undefined> {
  return touch(() => {
    const loading = work();
    const over = loading.then(
      () => undefined,
      () => undefined,
    );
    const stop = async (): Promise<undefined> => {
      const cdp = await pages.cdp(page);
      await cdp.send('Page.stopLoading');
      // A page whose load could not be stopped any more is there soon, and its first scripts run.
      await Promise.race([over, sleep(stopMs)]);
      await bestEffort('wait for the document', page.waitForLoadState('domcontentloaded', { timeout: stopMs }));
      await cdp.send('Runtime.evaluate', { expression: '0' });
    };
    const stopped = Promise.withResolvers<undefined>();
    const onAbort = () => void stop().then(stopped.resolve, () => stopped.resolve(undefined));
    deadline.signal.addEventListener('abort', onAbort, { once: true });
    // A later driver has nothing of this load to stop, and may be loading something else.
    void over.then(() => deadline.signal.removeEventListener('abort', onAbort));
    return Promise.race([loading, stopped.promise]);
  });
}

function waitForUrl(page: Page, isThere: (url: URL) => boolean, timeout: number): Promise<void> {
  // Some failures have no such page.
  return bestEffort('wait for the address', page.waitForURL(isThere, { timeout, waitUntil: 'commit' }));
}
