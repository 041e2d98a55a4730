// The open pages of a session, and which of them is in front.

import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Deadline } from './deadline.ts';
import { within } from './deadline.ts';
import { StepFailure } from './failure.ts';
import { createPageFlood } from './walls/page-flood.ts';
import type { Hit } from './walls/walls.ts';

export type Place = { url: string; title: string };

export type Pages = {
  current(): Page;
  all(): Page[];
  /** The name of a page within its session. */
  id(page: Page): string;
  cdp(page: Page): Promise<CDPSession>;
  /** The browser's name of the page's own frame. */
  mainFrame(page: Page): Promise<string>;
  place(page: Page, deadline: Deadline): Promise<Place>;
  scroll(page: Page, deadline: Deadline): Promise<{ x: number; y: number }>;
  onSwitch(listener: () => void): void;
  /** A new page, in front. Throws `full` where the session has as many as it may. */
  open(): Promise<Page>;
  /** Brings the page to the front. */
  show(page: Page): Promise<void>;
  isCrashed(page: Page): boolean;
  /** Aborted when the page crashes or closes. */
  gone(page: Page): AbortSignal;
  /** Puts fresh pages in the place of those that crashed, at the same addresses. */
  repair(deadline: Deadline): Promise<void>;
};

type Options = {
  context: BrowserContext;
  first: Page;
  /** What is opened beyond is closed again at once. */
  maxPages: number;
  /** Each page, before it is in front. */
  onPage: (page: Page) => void;
  onCrash: (page: Page) => void;
  /** Pages beyond the most were closed again. */
  onRefused: (hit: Hit) => void;
  /** Several were opened at once: each costs the browser more than anything else that a page can ask of it. */
  onBurst: () => void;
  /** A page shows another document. */
  onLoad: () => void;
};

const BURST_PAGES = 3;
const BURST_MS = 500;

export function followPages({ context, first, maxPages, onPage, onCrash, onRefused, onBurst, onLoad }: Options): Pages {
  let current = first;
  let count = 0;
  const ids = new WeakMap<Page, string>();
  const sessions = new WeakMap<Page, Promise<CDPSession>>();
  const crashed = new WeakSet<Page>();
  const endings = new WeakMap<Page, AbortController>();
  const listeners: (() => void)[] = [];
  const flood = createPageFlood(maxPages);
  let isFlooded = false;
  /** When the last pages came. */
  let opened: number[] = [];
  let repairing: Promise<void> | undefined;
  /** A page that crashed leaves its room to the one that is to take its place. */
  const isCounted = (page: Page) => !(repairing && crashed.has(page));

  function show(page: Page): void {
    if (page === current) return;
    current = page;
    for (const listener of listeners) listener();
  }

  function adopt(page: Page): void {
    count += 1;
    ids.set(page, `p${count}`);
    const ending = new AbortController();
    endings.set(page, ending);
    page.on('framenavigated', (frame) => frame === page.mainFrame() && onLoad());
    page.once('close', () => ending.abort());
    page.once('close', () => page === current && void showAnother());
    page.once('crash', () => {
      crashed.add(page);
      ending.abort();
      onCrash(page);
    });
    onPage(page);
  }

  async function showAnother(): Promise<void> {
    // A session always has a page. If even a blank one cannot be had, the browser is ending, and says so by itself.
    const next = context.pages().at(-1) ?? (await context.newPage().catch(() => undefined));
    if (next) show(next);
  }

  /** Only now that it has begun: closed before that, it leaves the page that opened it waiting for ever. */
  function refuse(page: Page): void {
    // Then the whole browser ends, and every word to it would only be more to do.
    if (isFlooded) return;
    const news = flood.add();
    isFlooded = news === 'flood';
    if (news === 'first') onRefused(hitOf(`more than ${maxPages} pages; further ones are closed`, false));
    if (news === 'flood') onRefused(hitOf(`ever more pages; ${maxPages} are allowed`, true));
    else page.close().catch(() => undefined);
  }

  for (const page of context.pages()) adopt(page);
  // What a page opens comes to the front, as it does for a person.
  context.on('page', (page) => {
    const now = performance.now();
    opened = [...opened.filter((at) => now - at < BURST_MS), now];
    if (opened.length === BURST_PAGES) onBurst();
    if (context.pages().filter(isCounted).length > maxPages) return refuse(page);
    adopt(page);
    show(page);
  });

  async function openCdp(page: Page): Promise<CDPSession> {
    const session = await context.newCDPSession(page);
    // It tells what the page sets in motion.
    await session.send('Page.enable');
    return session;
  }

  function cdp(page: Page): Promise<CDPSession> {
    const session = sessions.get(page) ?? openCdp(page);
    sessions.set(page, session);
    return session;
  }

  const mainFrames = new WeakMap<Page, Promise<string>>();
  function mainFrame(page: Page): Promise<string> {
    // It stays the same for the life of the page.
    const known =
      mainFrames.get(page) ??
      cdp(page)
        .then((session) => session.send('Page.getFrameTree'))
        .then(({ frameTree }) => frameTree.frame.id);
    mainFrames.set(page, known);
    return known;
  }

  async function repairAll(deadline: Deadline): Promise<void> {
    const front = current;
    for (const page of context.pages().filter((one) => crashed.has(one))) {
      const fresh = await within(deadline, context.newPage());
      const url = page.url();
      await fresh.goto(url, { timeout: deadline.leftMs(), waitUntil: 'domcontentloaded' }).catch(() => undefined);
      if (page !== front) show(front);
      // A dead page takes its time, and nobody needs to wait for that.
      page.close().catch(() => undefined);
    }
  }

  return {
    mainFrame,
    current: () => current,
    all: () => context.pages(),
    id: (page) => ids.get(page) ?? 'p0',
    cdp,
    // Asked of the browser, not of the page: a page that hangs cannot hold back the answer.
    place: async (page, deadline) => {
      const { targetInfo } = await within(
        deadline,
        cdp(page).then((session) => session.send('Target.getTargetInfo')),
      );
      return { url: targetInfo.url, title: titleOf(targetInfo) };
    },
    scroll: async (page, deadline) => {
      const { cssVisualViewport } = await within(
        deadline,
        cdp(page).then((session) => session.send('Page.getLayoutMetrics')),
      );
      return { x: cssVisualViewport.pageX, y: cssVisualViewport.pageY };
    },
    onSwitch: (listener) => void listeners.push(listener),
    async open() {
      if (context.pages().length >= maxPages) throw new StepFailure('full', 'no more pages can be opened');
      return context.newPage();
    },
    async show(page) {
      show(page);
      await page.bringToFront();
    },
    isCrashed: (page) => crashed.has(page),
    // A page that nobody knows any more is gone.
    gone: (page) => endings.get(page)?.signal ?? AbortSignal.abort(),
    repair(deadline) {
      // Two who open the session at once want it repaired once.
      repairing ??= repairAll(deadline).finally(() => {
        repairing = undefined;
      });
      return repairing;
    },
  };
}

const hitOf = (message: string, is_ended: boolean): Hit => ({ wall: 'pages', message, is_ended });

/** Chromium puts the address where a page gives no title. */
function titleOf({ url, title }: Place): string {
  const isAddress = title !== '' && url.replace(/^\w+:\/\//, '').startsWith(title);
  return isAddress || title === url ? '' : title;
}
