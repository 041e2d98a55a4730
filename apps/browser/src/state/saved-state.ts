// What is saved of a browser, and how it comes back.

import type { SavedState } from '@pilothouse/bus';
import type { BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, within } from '../common/deadline.ts';
import { isOpenable } from '../guard/rules/web-url.ts';
import type { Pages } from '../pages/pages.ts';
import { Origin, originOf, sizeOf, type Weight, weightOf } from './origin.ts';
import { type Reading, readStorage, type Storage } from './site-storage.ts';
import { readTabStorage, seedTabStorage } from './tab-storage.ts';

/** More are not brought back. */
const maxPages = 20;
/** Beyond this a state would not fit into one message with its picture. */
const maxStateBytes = 4 * 1024 * 1024;

/** A longer address is the page itself, as data. */
const maxUrlChars = 64 * 1024;
/** The scroll position of a page that hangs is not waited for. */
const scrollMs = 500;

type SavedPage = SavedState['pages'][number];
type Open = Pick<Pages, 'current' | 'all' | 'scroll' | 'cdp' | 'mainFrame'>;
/** Told of what is left out: what does not fit, or cannot be put back. */
export type OnCut = (cut: { what: string[]; sizeBytes: number }) => void;
export type StateOptions = { isMute?: (page: Page) => boolean; onCut?: OnCut };

/** Pages whose site did not answer when they were to come back, and what they are to be once it does. */
const wanted = new WeakMap<Page, SavedPage>();

/**
 * The page in front comes last: that is how restoring knows it. Of a page that is mute, because it waits for an answer,
 * hangs or has crashed, what was last read has to do.
 */
export async function readState(
  context: BrowserContext,
  pages: Open,
  deadline: Deadline,
  { isMute = () => false, onCut = () => {} }: StateOptions = {},
): Promise<SavedState> {
  const open = inOrder(pages);
  const left: CutReport = { what: [], sizeBytes: 0 };
  const onLeft = (what: string, sizeBytes: number) => {
    left.what.push(what);
    left.sizeBytes += sizeBytes;
  };
  const reading = { cdp: pages.cdp, mainFrame: pages.mainFrame, isMute, deadline, onCut: onLeft };
  const [storage, saved] = await Promise.all([
    readStorage(context, reading),
    Promise.all(open.map((page) => readPage(pages, page, reading))),
  ]);
  const state = fit(storage, saved, left);
  if (left.what.length > 0) onCut(left);
  return state;
}

/**
 * Where the pages are now, with what was last read of the rest: for when nothing can be read. The host that opens it elsewhere
 * must not find itself a step behind.
 */
export function placesOf(pages: Pick<Open, 'current' | 'all'>, last: SavedState | undefined): SavedState {
  const known = new Map(last?.pages.map((page) => [page.url, page]));
  const unread = { scroll_x: 0, scroll_y: 0, session_storage: {} };
  return {
    storage: last?.storage ?? { cookies: [], origins: [] },
    pages: inOrder(pages).map((page) => {
      const url = urlOf(page);
      return wanted.get(page) ?? known.get(url) ?? { ...unread, url };
    }),
  };
}

/** Those that can be opened again; the one in front comes last. */
function inOrder(pages: Pick<Open, 'current' | 'all'>): Page[] {
  const front = pages.current();
  return [...pages.all().filter((page) => page !== front), front]
    .filter((page) => isOpenable(page.url()) || wanted.has(page))
    .slice(-maxPages);
}

const urlOf = (page: Page): string => (page.url().length > maxUrlChars ? 'about:blank' : page.url());

type CutReport = Parameters<OnCut>[0];

async function readPage(pages: Open, page: Page, reading: Reading): Promise<SavedPage> {
  const missed = wanted.get(page);
  if (missed) return missed;
  const nowhere = { x: 0, y: 0 };
  const scroll = reading.isMute(page) ? nowhere : pages.scroll(page, reading.deadline.atMost(scrollMs));
  const [{ x, y }, session_storage] = await Promise.all([
    Promise.resolve(scroll).catch(() => nowhere),
    readTabStorage(page, reading),
  ]);
  return { url: urlOf(page), scroll_x: x, scroll_y: y, session_storage };
}

/** Leaves out what weighs most and is missed least until the rest fits: databases, then tabs' storage, then the rest. */
function fit({ cookies, origins }: Storage, pages: SavedPage[], left: CutReport): SavedState {
  const kept = origins.map((origin): Origin => ({ ...origin }));
  const state = { storage: { cookies, origins: kept }, pages };
  const weights = origins.map(weightOf);
  // Weighed once; each cut takes its part away.
  const names = sizeOf(origins.map(({ origin }) => ({ origin, localStorage: [], indexedDB: [] })));
  let size = sizeOf(cookies) + sizeOf(pages) + names;
  for (const { localStorage, indexedDB } of weights) size += localStorage + indexedDB;
  if (size > maxStateBytes) left.sizeBytes += size;
  const cut = (what: string, sizeBytes: number) => {
    left.what.push(what);
    size -= sizeBytes;
  };
  for (const [index, bytes] of heaviest(weights, 'indexedDB')) {
    if (size <= maxStateBytes) return state;
    delete kept[index]?.indexedDB;
    cut(`databases of ${kept[index]?.origin}`, bytes);
  }
  if (size > maxStateBytes) {
    state.pages = pages.map((page) => ({ ...page, session_storage: {} }));
    cut('session storage', sizeOf(pages) - sizeOf(state.pages));
  }
  for (const [index, bytes] of heaviest(weights, 'localStorage')) {
    if (size <= maxStateBytes) return state;
    const one = kept[index];
    if (one) one.localStorage = [];
    cut(`local storage of ${one?.origin}`, bytes);
  }
  if (size > maxStateBytes) {
    state.storage.cookies = [];
    cut('cookies', sizeOf(cookies));
  }
  return state;
}

/** By their place in the list. Two bytes are an empty one. */
const heaviest = (weights: Weight[], key: keyof Weight): [number, number][] =>
  weights
    .map((weight, index): [number, number] => [index, weight[key]])
    .filter(([, bytes]) => bytes > 2)
    .toSorted(([, a], [, b]) => b - a);

type StorageState = Exclude<NonNullable<BrowserContextOptions['storageState']>, string>;

/** As the context takes it, which is all or nothing: so without sites whose storage does not fit. */
export function storageOf(state: SavedState): StorageState {
  const { origins } = state.storage;
  const fitting = Array.isArray(origins) ? origins.filter((one) => Origin.safeParse(one).success) : [];
  // The rest was written by the same library, which checks it again.
  return { ...state.storage, origins: fitting } as StorageState;
}

/** Opens what was open. A page that does not come is left blank: the session can go on without it. */
export async function reopenPages(first: Page, state: SavedState, deadline: Deadline): Promise<Page> {
  const saved = state.pages.filter(({ url }) => isOpenable(url)).slice(-maxPages);
  // Made one after the other, so that they have the order they had.
  const opened: Page[] = [];
  for (const _ of saved) opened.push(opened.length === 0 ? first : await within(deadline, first.context().newPage()));
  const reopened = saved.map((one, index) => reopen(opened[index] ?? first, one, deadline));
  await Promise.all(reopened.map((one) => bestEffort('open a saved page again', one)));
  const front = opened.at(-1) ?? first;
  if (opened.length > 1) await bestEffort('show the saved page in front', within(deadline, front.bringToFront()));
  return front;
}

/** Puts one page back. Its scripts find the tab's storage as they left it. */
export async function reopen(page: Page, saved: SavedPage, deadline: Deadline): Promise<void> {
  const { url, scroll_x, scroll_y, session_storage } = saved;
  const seed = await within(deadline, seedTabStorage(page, session_storage));
  try {
    if (url !== 'about:blank') await page.goto(url, { waitUntil: 'load', timeout: deadline.leftMs() });
  } catch (error) {
    wantAgain(page, saved);
    throw error;
  } finally {
    await bestEffort('remove the seed of session storage', within(deadline, seed.dispose()));
  }
  if (scroll_x !== 0 || scroll_y !== 0)
    await within(deadline, page.evaluate(`scrollTo(${Number(scroll_x)}, ${Number(scroll_y)})`));
}

/** A site that is down now is not forgotten: until the page goes elsewhere, it is saved as what it should be. */
function wantAgain(page: Page, saved: SavedPage): void {
  if (originOf(page.url()) !== undefined) return;
  wanted.set(page, saved);
  const onNavigated = (frame: Frame) => {
    // Chromium's own page about the failure.
    if (frame !== page.mainFrame() || page.url().startsWith('chrome-error:')) return;
    wanted.delete(page);
    page.off('framenavigated', onNavigated);
  };
  page.on('framenavigated', onNavigated);
}
