// Session storage: what a tab keeps for its own time, apart for each origin. The browser library does not save it.

import type { Frame, Page } from 'playwright-core';
import { type Deadline, within } from './deadline.ts';

type TabStorage = Record<string, Record<string, string>>;

/** A page that hangs is not waited for: what was last read of it has to do. */
const READ_MS = 500;
const MAX_ORIGINS = 8;

/** What was last read of each tab. Origins that it shows no more cannot be asked again, and are kept from before. */
const lastRead = new WeakMap<Page, TabStorage>();

export async function readTabStorage(page: Page, deadline: Deadline): Promise<TabStorage> {
  const frames = new Map<string, Frame>();
  for (const frame of page.frames()) {
    const { protocol, origin } = URL.parse(frame.url()) ?? {};
    if (origin && (protocol === 'http:' || protocol === 'https:') && frames.size < MAX_ORIGINS && !frames.has(origin))
      frames.set(origin, frame);
  }
  const soon = deadline.atMost(READ_MS);
  const known: TabStorage = { ...lastRead.get(page) };
  await Promise.all(
    [...frames.values()].map(async (frame) => {
      // A frame that is sealed off has none, and one that is just leaving does not tell.
      const read = await within(soon, frame.evaluate<Read>(readHere)).catch(() => undefined);
      if (!read) return;
      if (Object.keys(read.items).length > 0) known[read.origin] = read.items;
      else delete known[read.origin];
    }),
  );
  lastRead.set(page, known);
  return known;
}

type Read = { origin: string; items: Record<string, string> };
const readHere = '({ origin: location.origin, items: { ...sessionStorage } })';

/**
 * Has every origin's storage there before the first script of its page runs. To be disposed of when the page is
 * loaded: from then on it is the page's own.
 */
export async function seedTabStorage(page: Page, storage: TabStorage): Promise<{ dispose(): Promise<void> }> {
  if (Object.keys(storage).length === 0) return { dispose: async () => {} };
  lastRead.set(page, storage);
  return page.addInitScript({
    // Only into an empty one: a page that was loaded twice on the way may have changed it by then.
    content: `(() => {
      const items = ${JSON.stringify(storage)}[location.origin];
      try {
        if (items && sessionStorage.length === 0)
          for (const [name, value] of Object.entries(items)) sessionStorage.setItem(name, value);
      } catch {
        // A frame that is sealed off has no storage.
      }
    })()`,
  });
}
