// Cookies, local storage and databases of a context. The browser library reads all of it each time, and opens a page for
// every site that is not on screen; this reads again only what can have changed, which is what the present pages show.

import type { BrowserContext, Cookie, Frame, Page } from 'playwright-core';
import { collectHere } from './collect.ts';
import { type Deadline, within } from './deadline.ts';

/** As the browser library saves and restores it. */
export type Origin = { origin: string; localStorage: { name: string; value: string }[]; indexedDB?: unknown[] };
export type Storage = { cookies: Cookie[]; origins: Origin[] };

/** A page that hangs is not waited for: what was last read of its site has to do. */
const READ_MS = 1000;

type Watched = {
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

const watchedContexts = new WeakMap<BrowserContext, Watched>();

/** To be called before anything is loaded in the context; `known` is what it was restored from. */
export function watchStorage(context: BrowserContext, known: Origin[] = []): void {
  const kept = new Map(known.map((one) => [one.origin, one]));
  const watched: Watched = { kept, touched: new Set(), restless: new Set(), isUnsure: false, turn: Promise.resolve() };
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

export async function readStorage(context: BrowserContext, deadline: Deadline): Promise<Storage> {
  const watched = watchedContexts.get(context);
  if (!watched) return readAll(context, deadline);
  // One after the other: each begins where the one before ended.
  const turn = watched.turn.then(() => readNext(context, watched, deadline));
  watched.turn = turn.catch(() => undefined);
  return turn;
}

async function readNext(context: BrowserContext, watched: Watched, deadline: Deadline): Promise<Storage> {
  const shown = framesBySite(context);
  const due = new Set([...watched.touched, ...watched.restless, ...shown.keys()]);
  const isWholeDue = watched.isUnsure || hasHeirs(context, watched) || [...due].some((origin) => !shown.has(origin));
  // What is on screen goes on changing while it is read.
  watched.touched = new Set(shown.keys());
  watched.isUnsure = false;
  const cookies = within(deadline, context.cookies());
  // Waited for last, where it may have failed long before.
  cookies.catch(() => undefined);
  if (isWholeDue) {
    const all = await readAll(context, deadline.atMost(deadline.leftMs() / 2)).catch(() => undefined);
    if (all) {
      watched.kept = new Map(all.origins.map((one) => [one.origin, one]));
      return all;
    }
    // A page that hangs holds up the rest. What is on screen is read one by one, and the rest the next time.
    watched.isUnsure = true;
  }
  await Promise.all([...shown].map(([origin, frame]) => readSite(watched, origin, frame, deadline)));
  return { cookies: await cookies, origins: sorted([...watched.kept.values()]) };
}

async function readSite({ kept }: Watched, origin: string, frame: Frame, deadline: Deadline): Promise<void> {
  const text = await within(deadline.atMost(READ_MS), frame.evaluate<string>(collectHere)).catch(() => undefined);
  if (text === undefined) return;
  // Written by our own script; a page that tampers with it spoils its own state and no other.
  const read = JSON.parse(text) as Origin;
  if (read.origin !== origin) return;
  if (read.localStorage.length > 0 || read.indexedDB?.length) kept.set(origin, read);
  else kept.delete(origin);
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

/** One document of each site on screen; the page's own before those within it. */
function framesBySite(context: BrowserContext): Map<string, Frame> {
  const frames = context.pages().flatMap((page) => page.frames());
  const shown = new Map<string, Frame>();
  for (const frame of frames.toSorted((a, b) => Number(a.parentFrame() !== null) - Number(b.parentFrame() !== null))) {
    const origin = originOf(frame.url());
    if (origin && !shown.has(origin)) shown.set(origin, frame);
  }
  return shown;
}

/** A blank page may belong to the site that opened it, which no address tells. */
const hasHeirs = (context: BrowserContext, { kept }: Watched) =>
  kept.size > 0 && context.pages().some((page) => originOf(page.url()) === undefined);

function originOf(url: string): string | undefined {
  const origin = URL.parse(url)?.origin;
  return origin?.startsWith('http') ? origin : undefined;
}

const sorted = (origins: Origin[]) => origins.toSorted((a, b) => (a.origin < b.origin ? -1 : 1));
