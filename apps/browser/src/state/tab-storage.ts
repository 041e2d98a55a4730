// Session storage: what a tab keeps for its own time, apart for each origin. The browser library does not save it.

import type { Page } from 'playwright-core';
import { z } from 'zod';
import { bestEffort } from '../common/best-effort.ts';
import { within } from '../common/deadline.ts';
import { readSessionStorage, type SessionItems, seedSessionStorage } from '../dom/injected/session-storage.ts';
import { evaluateIsolated } from './isolated-read.ts';
import { originOf } from './origin.ts';
import type { Reading } from './site-storage.ts';

type TabStorage = Record<string, Record<string, string>>;
type TabItems = { items: Record<string, string>; chars: number };

/** A page that hangs is not waited for: what was last read of it has to do. */
const readMs = 500;
const maxOrigins = 8;
/** Of one tab, the origins that were read last, and no more of them than would fit into a state. */
const maxKeptOrigins = 50;
const maxKeptChars = 4 * 1024 * 1024;

/** What was last read of each tab. Origins that it shows no more cannot be asked again, and are kept from before. */
const lastRead = new WeakMap<Page, Map<string, TabItems>>();

export async function readTabStorage(page: Page, reading: Reading): Promise<TabStorage> {
  const shown = new Set(page.frames().flatMap((frame) => originOf(frame.url()) ?? []));
  const soon = reading.deadline.atMost(readMs);
  const known = new Map(lastRead.get(page));
  const asked = reading.isMute(page) ? [] : [...shown].slice(0, maxOrigins);
  await Promise.all(
    asked.map(async (origin) => {
      // A frame that is sealed off has none, and one that is just leaving does not tell.
      const answer = within(soon, evaluateIsolated(reading, page, origin, readSessionStorage, [maxKeptChars]));
      const parsed = answer.then((value) => Items.parse(value));
      const read = await bestEffort('read session storage', parsed);
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

function lighten(known: Map<string, TabItems>): void {
  let total = [...known.values()].reduce((sum, { chars }) => sum + chars, 0);
  for (const [origin, { chars }] of known) {
    if (known.size <= maxKeptOrigins && total <= maxKeptChars) return;
    known.delete(origin);
    total -= chars;
  }
}

const Items = z.object({
  origin: z.string(),
  items: z.record(z.string(), z.string()).nullable(),
  chars: z.number(),
}) satisfies z.ZodType<SessionItems>;

/**
 * Has every origin's storage there before the first script of its page runs. To be disposed of when the page is
 * loaded: from then on it is the page's own.
 */
export async function seedTabStorage(page: Page, storage: TabStorage): Promise<{ dispose(): Promise<void> }> {
  if (Object.keys(storage).length === 0) return { dispose: async () => {} };
  const charsOf = (items: Record<string, string>) => Object.entries(items).flat().join().length;
  lastRead.set(page, new Map(Object.entries(storage).map(([at, items]) => [at, { items, chars: charsOf(items) }])));
  return page.addInitScript({ content: `(${seedSessionStorage})(${JSON.stringify(storage)})` });
}
