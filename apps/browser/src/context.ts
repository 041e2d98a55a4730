// The browser context of a session, from what was made ahead where that fits, with what was saved put back.

import type { SavedState } from '@pilothouse/bus';
import type { BrowserContext, Page } from 'playwright-core';
import type { Chromium, Viewport } from './chromium.ts';
import { type Deadline, within } from './deadline.ts';
import { reopenPages, storageOf } from './state.ts';
import { watchStorage } from './storage.ts';

const CALL_MS = 15_000;
/** Pages that take longer to come back are left as they are. */
const REOPEN_MS = 8000;

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
): Promise<{ context: BrowserContext; front: Page }> {
  const { context, first } = await within(deadline, firstPage(chromium, viewport, state));
  context.setDefaultTimeout(CALL_MS);
  watchStorage(context, state ? storageOf(state).origins : []);
  const front = state ? await reopenPages(first, state, deadline.atMost(REOPEN_MS)) : first;
  return { context, front };
}

async function firstPage({ browser, ready }: Chromium, viewport: Viewport, state: SavedState | null) {
  if (ready?.viewport.width === viewport.width && ready.viewport.height === viewport.height) {
    // Quicker than a new context that is given the same state.
    if (state) await ready.context.setStorageState(storageOf(state));
    return { context: ready.context, first: ready.page };
  }
  const [context] = await Promise.all([
    browser.newContext({ viewport, storageState: state ? storageOf(state) : undefined }),
    ready?.context.close(),
  ]);
  return { context, first: await context.newPage() };
}
