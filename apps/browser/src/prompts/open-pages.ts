// The open pages of a session with their addresses and titles. Chromium does not tell when a title changes, so it is asked,
// for as long as the pages are followed.

import type { SessionView } from '@pilothouse/bus';
import type { PrivateReason } from '@pilothouse/contract';
import type { Frame, Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { startDeadline } from '../common/deadline.ts';
import type { PageLocation, Pages } from '../pages/pages.ts';

const everyMs = 1000;
/** Several things that happen to a page at once are looked at once. */
const soonMs = 50;
const askMs = 500;
const maxPages = 100;
const maxUrlChars = 2048;
const maxTitleChars = 300;

export type OpenPages = {
  list(): SessionView['pages'];
  /** Asks every page where it is. */
  refresh(): Promise<void>;
  close(): void;
};

type Options = {
  pages: Pick<Pages, 'all' | 'current' | 'id' | 'place' | 'onSwitch' | 'onOpened' | 'isBeside'>;
  reasonOf: (page: Page) => PrivateReason | undefined;
  /** What may be told of where the page is. */
  tellable: (page: Page, place: PageLocation) => PageLocation;
  /** Whether anyone wants to know. */
  isFollowed: () => boolean;
  troubleOf: (page: Page) => SessionView['pages'][number]['trouble'];
  /** Whether a program is connected: it can read every page that is not beside. */
  hasProgram: () => boolean;
  /** Aborted when the session closes. */
  signal: AbortSignal;
  onChange: () => void;
};

export function createOpenPages(options: Options): OpenPages {
  const { pages, reasonOf, tellable, isFollowed, hasProgram, troubleOf, signal, onChange } = options;
  const places = new WeakMap<Page, PageLocation>();
  const moved = new Set<Page>();
  let timer: NodeJS.Timeout | undefined;

  async function ask(page: Page): Promise<void> {
    const place = await bestEffort('read where a page is', pages.place(page, startDeadline(askMs, signal)));
    places.set(page, place ?? { url: page.url(), title: '' });
    onChange();
  }

  const askAll = async (asked: Page[]) => void (await Promise.all(asked.map(ask)));

  function askSoon(page: Page): void {
    onChange();
    if (!isFollowed() || signal.aborted) return;
    moved.add(page);
    timer ??= setTimeout(() => {
      timer = undefined;
      const asked = [...moved].filter((one) => !one.isClosed());
      moved.clear();
      void askAll(asked);
    }, soonMs).unref();
  }

  function follow(page: Page): void {
    const onNavigated = (frame: Frame) => {
      if (frame !== page.mainFrame()) return;
      // The title of the document before is not that of this one.
      places.delete(page);
      askSoon(page);
    };
    page.on('framenavigated', onNavigated);
    page.on('domcontentloaded', () => askSoon(page));
    page.once('close', onChange);
    askSoon(page);
  }

  for (const page of pages.all()) follow(page);
  const unfollow = pages.onOpened(follow);
  pages.onSwitch(onChange);
  const regularly = setInterval(() => isFollowed() && void askAll(pages.all()), everyMs).unref();

  function view(page: Page): SessionView['pages'][number] {
    const { url, title } = tellable(page, places.get(page) ?? { url: page.url(), title: '' });
    const private_reason = reasonOf(page);
    const trouble = troubleOf(page);
    return {
      page: pages.id(page),
      url: url.slice(0, maxUrlChars).toWellFormed(),
      title: title.slice(0, maxTitleChars).toWellFormed(),
      is_front: page === pages.current(),
      private: private_reason !== undefined,
      ...(private_reason && { private_reason }),
      ...(pages.isBeside(page) ? { private_tab: true } : hasProgram() && { open_to_program: true }),
      ...(trouble && { trouble }),
    };
  }

  return {
    list: () =>
      pages
        .all()
        .filter((page) => !page.isClosed())
        .slice(0, maxPages)
        .map(view),
    refresh: () => askAll(pages.all()),
    close() {
      unfollow();
      clearInterval(regularly);
      clearTimeout(timer);
    },
  };
}
