// What is saved of a browser, and how it comes back.

import type { SavedState } from '@pilothouse/bus';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type Deadline, within } from './deadline.ts';
import { isOpenable } from './openable.ts';
import { MAX_PAGES, type Pages } from './pages.ts';

/** Beyond this a state would not fit into one message with its picture. */
const MAX_STORAGE_BYTES = 4 * 1024 * 1024;

/** The page in front comes last: that is how restoring knows it. */
export async function readState(context: BrowserContext, pages: Pages, deadline: Deadline): Promise<SavedState> {
  const front = pages.current();
  const open = [...pages.all().filter((page) => page !== front), front].filter((page) => isOpenable(page.url()));
  const [storage, saved] = await Promise.all([
    within(deadline, readStorage(context)),
    Promise.all(
      open.slice(-MAX_PAGES).map(async (page) => {
        const { x, y } = await pages.scroll(page, deadline);
        return { url: page.url(), scroll_x: x, scroll_y: y, session_storage: {} };
      }),
    ),
  ]);
  return { storage, pages: saved };
}

async function readStorage(context: BrowserContext): Promise<SavedState['storage']> {
  // Databases may hold what cannot be written down, or more than a message carries: then they are left out.
  const all = await context.storageState({ indexedDB: true }).catch(() => undefined);
  if (all && Buffer.byteLength(JSON.stringify(all)) <= MAX_STORAGE_BYTES) return { ...all };
  return { ...(await context.storageState()) };
}

/** As the context takes it. It was written by the same library, which checks it again. */
export function storageOf(state: SavedState): BrowserContextOptions['storageState'] {
  return state.storage as Exclude<BrowserContextOptions['storageState'], string>;
}

/** Opens what was open. A page that does not come is left blank: the session can go on without it. */
export async function reopenPages(first: Page, state: SavedState, deadline: Deadline): Promise<Page> {
  const saved = state.pages.filter(({ url }) => isOpenable(url)).slice(-MAX_PAGES);
  const opened = await Promise.all(
    saved.map(async ({ url, scroll_x, scroll_y }, index) => {
      const page = index === 0 ? first : await first.context().newPage();
      await reopen(page, url, scroll_x, scroll_y, deadline).catch(() => undefined);
      return page;
    }),
  );
  return opened.at(-1) ?? first;
}

async function reopen(page: Page, url: string, x: number, y: number, deadline: Deadline): Promise<void> {
  if (url !== 'about:blank') await page.goto(url, { waitUntil: 'load', timeout: deadline.leftMs() });
  if (x !== 0 || y !== 0) await within(deadline, page.evaluate(`scrollTo(${Number(x)}, ${Number(y)})`));
}
