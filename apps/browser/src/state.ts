// What is saved of a browser, and how it comes back.

import type { SavedState } from '@pilothouse/bus';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { type Deadline, within } from './deadline.ts';
import { isOpenable } from './openable.ts';
import type { Pages } from './pages.ts';
import { type Origin, readStorage, type Storage } from './storage.ts';
import { readTabStorage, seedTabStorage } from './tab-storage.ts';

/** More are not brought back. */
const MAX_PAGES = 20;
/** Beyond this a state would not fit into one message with its picture. */
const MAX_STATE_BYTES = 4 * 1024 * 1024;

type SavedPage = SavedState['pages'][number];
/** Told of what did not fit. */
export type OnCut = (cut: { what: string[]; sizeBytes: number }) => void;

/** The page in front comes last: that is how restoring knows it. */
export async function readState(
  context: BrowserContext,
  pages: Pick<Pages, 'current' | 'all' | 'scroll'>,
  deadline: Deadline,
  onCut: OnCut = () => {},
): Promise<SavedState> {
  const front = pages.current();
  const open = [...pages.all().filter((page) => page !== front), front].filter((page) => isOpenable(page.url()));
  const [storage, saved] = await Promise.all([
    readStorage(context, deadline),
    Promise.all(open.slice(-MAX_PAGES).map((page) => readPage(pages, page, deadline))),
  ]);
  return fit(storage, saved, onCut);
}

async function readPage(pages: Pick<Pages, 'scroll'>, page: Page, deadline: Deadline): Promise<SavedPage> {
  const [{ x, y }, session_storage] = await Promise.all([pages.scroll(page, deadline), readTabStorage(page, deadline)]);
  return { url: page.url(), scroll_x: x, scroll_y: y, session_storage };
}

/** Leaves out what weighs most and is missed least until the rest fits: databases, then tabs' storage, then the rest. */
function fit(storage: Storage, pages: SavedPage[], onCut: OnCut): SavedState {
  const state = { storage: { ...storage, origins: storage.origins.map((origin): Origin => ({ ...origin })) }, pages };
  const sizeBytes = sizeOf(state);
  const what: string[] = [];
  const { origins } = state.storage;
  const cuts = [
    ...heaviest(origins, 'indexedDB').map((origin) => () => {
      delete origin.indexedDB;
      return `databases of ${origin.origin}`;
    }),
    () => {
      state.pages = pages.map((page) => ({ ...page, session_storage: {} }));
      return 'session storage';
    },
    ...heaviest(origins, 'localStorage').map((origin) => () => {
      origin.localStorage = [];
      return `local storage of ${origin.origin}`;
    }),
  ];
  for (let size = sizeBytes; size > MAX_STATE_BYTES && cuts.length > 0; size = sizeOf(state)) {
    what.push(cuts.shift()?.() ?? '');
  }
  if (what.length > 0) onCut({ what, sizeBytes });
  return state;
}

const heaviest = (origins: Origin[], key: 'indexedDB' | 'localStorage') =>
  origins.filter((one) => one[key]?.length).toSorted((a, b) => sizeOf(b[key]) - sizeOf(a[key]));
const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

/** As the context takes it. It was written by the same library, which checks it again. */
export function storageOf(state: SavedState): Exclude<NonNullable<BrowserContextOptions['storageState']>, string> {
  return state.storage as Exclude<NonNullable<BrowserContextOptions['storageState']>, string>;
}

/** Opens what was open. A page that does not come is left blank: the session can go on without it. */
export async function reopenPages(first: Page, state: SavedState, deadline: Deadline): Promise<Page> {
  const saved = state.pages.filter(({ url }) => isOpenable(url)).slice(-MAX_PAGES);
  // Made one after the other, so that they have the order they had.
  const opened: Page[] = [];
  for (const _ of saved) opened.push(opened.length === 0 ? first : await within(deadline, first.context().newPage()));
  await Promise.all(saved.map((one, index) => reopen(opened[index] ?? first, one, deadline).catch(() => undefined)));
  const front = opened.at(-1) ?? first;
  if (opened.length > 1) await within(deadline, front.bringToFront()).catch(() => undefined);
  return front;
}

/** Puts one page back. Its scripts find the tab's storage as they left it. */
export async function reopen(page: Page, saved: SavedPage, deadline: Deadline): Promise<void> {
  const { url, scroll_x, scroll_y, session_storage } = saved;
  const seed = await within(deadline, seedTabStorage(page, session_storage));
  try {
    if (url !== 'about:blank') await page.goto(url, { waitUntil: 'load', timeout: deadline.leftMs() });
  } finally {
    await within(deadline, seed.dispose()).catch(() => undefined);
  }
  if (scroll_x !== 0 || scroll_y !== 0)
    await within(deadline, page.evaluate(`scrollTo(${Number(scroll_x)}, ${Number(scroll_y)})`));
}
