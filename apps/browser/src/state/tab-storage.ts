// Session storage: what a tab keeps for its own time, apart for each origin. The browser library does not save it.

import type { Page } from 'playwright-core';
import { z } from 'zod';
import { readApart } from './apart.ts';
import { within } from './deadline.ts';
import { originOf } from './origin.ts';
import type { Reading } from './storage.ts';

type TabStorage = Record<string, Record<string, string>>;
type Kept = { items: Record<string, string>; chars: number };

/** A page that hangs is not waited for: what was last read of it has to do. */
const READ_MS = 500;
const MAX_ORIGINS = 8;
/** Of one tab, the origins that were read last, and no more of them than would fit into a state. */
const MAX_KEPT_ORIGINS = 50;
const MAX_KEPT_CHARS = 4 * 1024 * 1024;

/** What was last read of each tab. Origins that it shows no more cannot be asked again, and are kept from before. */
const lastRead = new WeakMap<Page, Map<string, Kept>>();

export async function readTabStorage(page: Page, reading: Reading): Promise<TabStorage> {
  const shown = new Set(page.frames().flatMap((frame) => originOf(frame.url()) ?? []));
  const soon = reading.deadline.atMost(READ_MS);
  const known = new Map(lastRead.get(page));
  const asked = reading.isMute(page) ? [] : [...shown].slice(0, MAX_ORIGINS);
  await Promise.all(
    asked.map(async (origin) => {
      // A frame that is sealed off has none, and one that is just leaving does not tell.
      const answer = within(soon, readApart(reading, page, origin, readHere));
      const read = await answer.then((value) => Read.parse(value)).catch(() => undefined);
      if (read?.origin !== origin) return;
      // At the end, as the newest.
      known.delete(origin);
      if (!read.items) reading.onCut(`session storage of ${origin}`, read.chars);
      else if (read.chars > 0) known.set(origin, { items: read.items, chars: read.chars });
    }),
  );
  lighten(known);
  lastRead.set(page, known);
  return Object.fromEntries([...known].map(([origin, { items }]) => [origin, items]));
}

function lighten(known: Map<string, Kept>): void {
  let total = [...known.values()].reduce((sum, { chars }) => sum + chars, 0);
  for (const [origin, { chars }] of known) {
    if (known.size <= MAX_KEPT_ORIGINS && total <= MAX_KEPT_CHARS) return;
    known.delete(origin);
    total -= chars;
  }
}

const Read = z.object({ origin: z.string(), items: z.record(z.string(), z.string()).nullable(), chars: z.number() });
/** Runs in the page, in a world of its own. Without items it is too much. */
const readHere = `(() => {
  const items = {};
  let chars = 0;
  for (const [name, value] of Object.entries(sessionStorage)) {
    chars += name.length + value.length + 1;
    if (chars > ${MAX_KEPT_CHARS}) return { origin: location.origin, items: null, chars };
    items[name] = value;
  }
  return { origin: location.origin, items, chars };
})()`;

/**
 * Has every origin's storage there before the first script of its page runs. To be disposed of when the page is
 * loaded: from then on it is the page's own.
 */
export async function seedTabStorage(page: Page, storage: TabStorage): Promise<{ dispose(): Promise<void> }> {
  if (Object.keys(storage).length === 0) return { dispose: async () => {} };
  const charsOf = (items: Record<string, string>) => Object.entries(items).flat().join().length;
  lastRead.set(page, new Map(Object.entries(storage).map(([at, items]) => [at, { items, chars: charsOf(items) }])));
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
