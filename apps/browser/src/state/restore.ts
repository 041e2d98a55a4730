// The browser context of a session, from what was made ahead where that fits, with what was saved put back.

import type { SavedState } from '@pilothouse/bus';
import type { BrowserContext, Page } from 'playwright-core';
import type { Chromium, Viewport } from '../chromium/launch.ts';
import { type Deadline, within } from '../common/deadline.ts';
import { reopenPages, storageOf } from './saved-state.ts';
import { watchStorage } from './site-storage.ts';

const callMs = 15_000;
/** Pages that take longer to come back are left as they are. */
const reopenMs = 8000;

/** Makes ahead what takes longest of opening a session: the first page needs a process of its own. */
export async function makeReady(chromium: Chromium, viewport: Viewport): Promise<Chromium> {
  const context = await chromium.browser.newContext({ viewport });
  const page = await context.newPage();
  return { ...chromium, ready: { context, page, viewport } };
}

export async function openContext(
  chromium: Chromium,
  viewport: Viewport,
  state: SavedState | null,
  deadline: Deadline,
): Promise<OpenedContext> {
  const storage = state ? storageOf(state) : undefined;
  const { context, first, origins } = await within(deadline, firstPage(chromium, viewport, storage));
  context.setDefaultTimeout(callMs);
  watchStorage(context, origins);
  const front = state ? await reopenPages(first, state, deadline.atMost(reopenMs)) : first;
  return { context, front, hasStorage: origins.length === (storage?.origins.length ?? 0) };
}

/** A context of its own with what was stored, without pages. `origins`: the sites whose storage it took. */
export async function openContextWith({ browser }: Pick<Chromium, 'browser'>, viewport: Viewport, state: SavedState) {
  const make = (storageState: StorageState) => browser.newContext({ viewport, storageState });
  const { done: context, origins } = await orCookies(storageOf(state), make);
  context.setDefaultTimeout(callMs);
  watchStorage(context, origins);
  return { context, origins };
}

/** `hasStorage`: what sites had stored is back. */
type OpenedContext = { context: BrowserContext; front: Page; hasStorage: boolean };
type StorageState = ReturnType<typeof storageOf>;

async function firstPage({ browser, ready }: Chromium, viewport: Viewport, storage: StorageState | undefined) {
  if (ready?.viewport.width === viewport.width && ready.viewport.height === viewport.height) {
    const { context, page } = ready;
    // In a context that was made ahead there is nothing yet.
    if (!storage || isEmpty(storage)) return { context, first: page, origins: [] };
    // Quicker than a new context that is given the same state.
    const { origins } = await orCookies(storage, (given) => context.setStorageState(given));
    return { context, first: page, origins };
  }
  const make = (storageState: StorageState) => browser.newContext({ viewport, storageState });
  const [{ done: context, origins }] = await Promise.all([
    orCookies(storage ?? { cookies: [], origins: [] }, make),
    ready?.context.close(),
  ]);
  return { context, first: await context.newPage(), origins };
}

const isEmpty = ({ cookies, origins }: StorageState): boolean => cookies.length === 0 && origins.length === 0;

/** What sites stored and the browser does not take must not cost the session itself: then it opens without. */
async function orCookies<T>(storage: StorageState, restore: (storage: StorageState) => Promise<T>) {
  try {
    return { done: await restore(storage), origins: storage.origins };
  } catch (error) {
    if (storage.origins.length === 0) throw error;
    return { done: await restore({ ...storage, origins: [] }), origins: [] };
  }
}
