// Cookies, local storage and databases of a context. The browser library reads all of it each time, and opens a page for
// every site that is not on screen; this reads again only what can have changed, which is what the present pages show.

import type { BrowserContext, Cookie, Frame, Page } from 'playwright-core';
import type { z } from 'zod';
import { bestEffort, handledLater } from '../common/best-effort.ts';
import { type Deadline, within } from '../common/deadline.ts';
import { collectStorage } from '../dom/injected/collect-storage.ts';
import type { Pages } from '../pages/pages.ts';
import { Collected, collectLimits } from './collect-storage.ts';
import { evaluateIsolated } from './isolated-read.ts';
import { Origin, originOf, weighed, weightOf } from './origin.ts';

/** As the browser library saves and restores it. */
export type Storage = { cookies: Cookie[]; origins: Origin[] };

/** A page that hangs is not waited for: what was last read of its site has to do. */
const readMs = 1000;
/** Kept of all sites together, so that however many a page goes through, it does not fill the memory of the host. */
const maxKeptBytes = 16 * 1024 * 1024;

export type Reading = Pick<Pages, 'cdp' | 'mainFrame'> & {
  /** Whether the page says nothing now, because it waits for an answer or has crashed. */
  isMute: (page: Page) => boolean;
  deadline: Deadline;
  /** Told of what is too much to be read. */
  onCut: (what: string, sizeBytes: number) => void;
};

type StorageWatch = {
  /** What was last read of each site. */
  kept: Map<string, Origin>;
  /** Sites that had a document since they were last read. */
  touched: Set<string>;
  /** Sites that may change without one. */
  restless: Set<string>;
  /** Something may have changed anywhere. */
  isUnsure: boolean;
  turn: Promise<unknown>;
};

const watchedContexts = new WeakMap<BrowserContext, StorageWatch>();

/** To be called before anything is loaded in the context; `known` is what it was restored from. */
export function watchStorage(context: BrowserContext, known: Origin[] = []): void {
  const kept = new Map(known.map((one) => [one.origin, one]));
  const watched: StorageWatch = {
    kept,
    touched: new Set(),
    restless: new Set(),
    isUnsure: false,
    turn: Promise.resolve(),
  };
  watchedContexts.set(context, watched);
  const touch = (frame: Frame) => {
    const origin = originOf(frame.url());
    if (origin) watched.touched.add(origin);
  };
  const follow = (page: Page) => {
    // Where it went before we were told of it is not known.
    if (page.url() !== 'about:blank') watched.isUnsure = true;
    page.on('framenavigated', touch);
  };
  context.pages().forEach(follow);
  context.on('page', follow);
  // Workers of this kind outlive their pages.
  context.on('serviceworker', (worker) => {
    const origin = originOf(worker.url());
    if (origin) watched.restless.add(origin);
  });
  // An answer to any request may empty the storage of its site.
  context.on('response', (response) => {
    if ('clear-site-data' in response.headers()) watched.isUnsure = true;
  });
}

/** Something was stored that no document of the context did. */
export function storageChanged(context: BrowserContext): void {
  const watched = watchedContexts.get(context);
  if (watched) watched.isUnsure = true;
}

export async function readStorage(context: BrowserContext, reading: Reading): Promise<Storage> {
  const watched = watchedContexts.get(context);
  if (!watched) return readAll(context, reading.deadline);
  // One after the other: each begins where the one before ended.
  const turn = watched.turn.then(() => readNext(context, watched, reading));
  // The caller is told of a failure; the next reading only waits for its end.
  watched.turn = turn.catch(() => undefined);
  return turn;
}

async function readNext(context: BrowserContext, watched: StorageWatch, reading: Reading): Promise<Storage> {
  const { deadline, isMute } = reading;
  const shown = pagesBySite(context);
  const due = new Set([...watched.touched, ...watched.restless, ...shown.keys()]);
  const isWholeDue = watched.isUnsure || hasHeirs(context, watched) || [...due].some((origin) => !shown.has(origin));
  // What is on screen goes on changing while it is read.
  watched.touched = new Set(shown.keys());
  watched.isUnsure = false;
  const cookies = within(deadline, context.cookies());
  // Waited for last, where it may have failed long before.
  handledLater(cookies);
  if (isWholeDue) {
    const half = deadline.atMost(deadline.leftMs() / 2);
    const all = context.pages().some(isMute) ? undefined : await bestEffort('read all storage', readAll(context, half));
    if (all) {
      watched.kept = new Map(all.origins.map((one) => [one.origin, one]));
      lighten(watched.kept);
      return { cookies: all.cookies, origins: sorted([...watched.kept.values()]) };
    }
    // A page that hangs or waits holds up the rest. What is on screen is read one by one, and the rest the next time.
    watched.isUnsure = true;
  }
  await Promise.all([...shown].map(([origin, page]) => isMute(page) || readSite(watched, origin, page, reading)));
  lighten(watched.kept);
  return { cookies: await cookies, origins: sorted([...watched.kept.values()]) };
}

async function readSite({ kept }: StorageWatch, origin: string, page: Page, reading: Reading): Promise<void> {
  const { deadline, onCut } = reading;
  const answer = within(
    deadline.atMost(readMs),
    evaluateIsolated(reading, page, origin, collectStorage, [collectLimits]),
  );
  // Also what our own script brings is a page's word, and one site's nonsense must not cost the others' state.
  const parsed = answer.then((value) => readable(Collected.parse(value)));
  const read = await bestEffort('read the storage of a site', parsed);
  if (read?.site.origin !== origin) return;
  const { site, cut, chars } = read;
  for (const what of cut) onCut(`${what} of ${origin}`, chars);
  if (site.localStorage.length > 0 || site.indexedDB?.length) kept.set(origin, site);
  else kept.delete(origin);
}

function readable({ origin, localStorage, indexedDB, cut, chars }: z.output<typeof Collected>) {
  const parts = { localStorage: JSON.parse(localStorage), indexedDB: JSON.parse(indexedDB) };
  const { indexedDB: databases, ...local } = Origin.parse({ origin, ...parts });
  const weight = { localStorage: Buffer.byteLength(localStorage), indexedDB: Buffer.byteLength(indexedDB) };
  // Without databases as the library writes it.
  return { site: weighed(cut.includes('databases') ? local : { ...local, indexedDB: databases }, weight), cut, chars };
}

/** Forgets the heaviest until the rest is light enough: databases first, as they weigh most and are missed least. */
function lighten(kept: Map<string, Origin>): void {
  const weightOfAll = (one: Origin) => weightOf(one).localStorage + weightOf(one).indexedDB;
  let total = [...kept.values()].reduce((sum, one) => sum + weightOfAll(one), 0);
  if (total <= maxKeptBytes) return;
  for (const one of [...kept.values()].toSorted((a, b) => weightOfAll(b) - weightOfAll(a))) {
    if (total <= maxKeptBytes) return;
    total -= weightOf(one).indexedDB;
    kept.set(one.origin, { origin: one.origin, localStorage: one.localStorage });
  }
  for (const one of [...kept.values()]) {
    if (total <= maxKeptBytes) return;
    total -= weightOfAll(one);
    kept.delete(one.origin);
  }
}

async function readAll(context: BrowserContext, deadline: Deadline): Promise<Storage> {
  // Databases may hold what cannot be written down: then they are left out.
  const read = context.storageState({ indexedDB: true }).catch(() => context.storageState());
  const { cookies, origins } = await within(deadline, read);
  return { cookies, origins: sorted(origins.map(writable)) };
}

/** The library hands on values that hold themselves, which no message can carry. */
function writable(origin: Origin): Origin {
  try {
    JSON.stringify(origin);
    return origin;
  } catch {
    return { origin: origin.origin, localStorage: origin.localStorage };
  }
}

/** One page with a document of each site on screen; where it is the page's own before where it is one within it. */
function pagesBySite(context: BrowserContext): Map<string, Page> {
  const pages = context.pages();
  const frames = [...pages.map((page) => page.mainFrame()), ...pages.flatMap((page) => page.frames())];
  const shown = new Map<string, Page>();
  for (const frame of frames) {
    const origin = originOf(frame.url());
    if (origin && !shown.has(origin)) shown.set(origin, frame.page());
  }
  return shown;
}

/** A blank page may belong to the site that opened it, which no address tells. */
const hasHeirs = (context: BrowserContext, { kept }: StorageWatch) =>
  kept.size > 0 && context.pages().some((page) => originOf(page.url()) === undefined);

const sorted = (origins: Origin[]) => origins.toSorted((a, b) => (a.origin < b.origin ? -1 : 1));
