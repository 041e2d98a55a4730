// The open pages of a session, those in a context beside its own among them, and which of them is in front.

import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, startDeadline, within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { LimitHit } from '../limits/limits.ts';
import { createFrontPage } from './front-page.ts';
import { createPageCdp, type PageCdp } from './page-cdp.ts';
import { createPageLimit } from './page-limit.ts';
import { type PageRecord, recordPage } from './page-record.ts';
import { createPageSet, type PageSet } from './page-set.ts';
import type { Popups } from './popups.ts';
import { createRepair } from './repair.ts';
import type { SiteChanges } from './site-changes.ts';

export type { PageLocation } from './page-cdp.ts';

export type Pages = PageCdp &
  PageSet & {
    current(): Page;
    /** The id of a page within its session. */
    id(page: Page): string;
    onSwitch(listener: () => void): void;
    /** Resolves when it is decided for each opened page whether it comes to the front. */
    decided(): Promise<void>;
    /** A step touches the page in this frame, or a person touches it at the pointer; call it before. */
    touch(page: Page, within?: { frameId: string; cdp: CDPSession }): Promise<void>;
    /** How many documents the page has shown. */
    loads(page: Page): number;
    /** The frame in which a step touched the page last. */
    touchedFrame(page: Page): string | undefined;
    /** A new page, in front. Throws `full` where the session has as many as it may. */
    open(beside?: BrowserContext): Promise<Page>;
    /** Brings the page to the front. */
    show(page: Page): Promise<void>;
    isCrashed(page: Page): boolean;
    /** Aborted when the page crashes or closes. */
    gone(page: Page): AbortSignal;
    /** Replaces pages that crashed, if there are any, by fresh ones at the same addresses. */
    repair(deadline: Deadline): Promise<void>;
  };

type Options = {
  context: BrowserContext;
  first: Page;
  /** Pages beyond this many are closed at once. */
  maxPages: number;
  popups: Popups;
  sites: SiteChanges;
  /** A page was opened without a touch that asked for it, and is not shown. */
  onBehind: () => void;
  /** Each page, before it is in front. */
  onPage: (page: Page) => void;
  onCrash: (page: Page) => void;
  /** Pages beyond the limit were closed. */
  onRefused: (hit: LimitHit) => void;
  /** Several pages were opened at once: nothing else that a page can ask of the browser costs more. */
  onBurst: () => void;
  /** A page shows another document. */
  onLoad: () => void;
};

/** This many pages within this time are a burst. */
const burstPages = 3;
const burstMs = 500;
/** A page that does not say within this time who opened it stays behind. */
const decideMs = 3000;

export function followPages(options: Options): Pages {
  const { context, first, maxPages, popups, sites, onPage, onCrash, onRefused, onBehind, onBurst, onLoad } = options;
  const front = createFrontPage(context, first);
  const records = new WeakMap<Page, PageRecord>();
  const set = createPageSet(context, take);
  const deciding = new Set<Promise<void>>();
  let count = 0;
  const isCrashed = (page: Page) => records.get(page)?.isCrashed ?? false;
  // A page without a record is gone.
  const gone = (page: Page) => records.get(page)?.gone ?? AbortSignal.abort();
  const pageCdp = createPageCdp({ popups, sites });
  const { cdp, mainFrame } = pageCdp;
  const repair = createRepair({ all: set.all, front, isCrashed });
  const refuse = createPageLimit({ maxPages, onRefused });
  const noteOpened = burstOf(onBurst);

  function adopt(page: Page): void {
    count += 1;
    const onClose = () => page === front.current() && void front.showAnother();
    records.set(page, recordPage(page, `p${count}`, { onLoad, onClose, onCrash }));
    onPage(page);
    // Followed from its beginning on. A page that closes at once has no session.
    void bestEffort('follow a page', cdp(page));
  }

  /** A page that another one opened comes to the front if a touch asked for it. A page that we open, the caller shows. */
  async function decide(page: Page): Promise<void> {
    const soon = startDeadline(decideMs, gone(page));
    const kind = await within(soon, cdp(page))
      .then((session) => popups.kindOf(session, soon))
      .catch(() => 'unasked' as const);
    if (kind === 'ours' || page.isClosed()) return;
    if (kind === 'asked') return front.show(page);
    onBehind();
    // The browser itself may have put it in front of the others.
    await bestEffort('keep the page in front', front.current().bringToFront());
  }

  function take(page: Page): boolean {
    noteOpened();
    // During a repair, a crashed page does not count: the fresh one takes its place.
    const counted = set.all().filter((one) => !(repair.isRunning() && isCrashed(one)));
    if (counted.length > maxPages) {
      refuse(page);
      return false;
    }
    adopt(page);
    const decided = decide(page).finally(() => deciding.delete(decided));
    deciding.add(decided);
    return true;
  }
  for (const page of context.pages()) adopt(page);

  return {
    ...pageCdp,
    ...set,
    current: front.current,
    id: (page) => records.get(page)?.id ?? 'p0',
    onSwitch: front.onSwitch,
    async open(beside = context) {
      if (set.all().length >= maxPages) throw new StepFailure('full', 'no more pages can be opened');
      const page = await beside.newPage();
      front.show(page);
      return page;
    },
    async decided() {
      await Promise.all(deciding);
    },
    touch: (page, within) => touchPage({ page, within, mainFrame, popups, sites }),
    loads: (page) => records.get(page)?.loads ?? 0,
    touchedFrame: popups.touchedFrame,
    async show(page) {
      front.show(page);
      await page.bringToFront();
    },
    isCrashed,
    gone,
    repair: repair.run,
  };
}

type Touch = Pick<PageCdp, 'mainFrame'> &
  Pick<Options, 'popups' | 'sites'> & { page: Page; within: { frameId: string; cdp: CDPSession } | undefined };

async function touchPage({ page, within, mainFrame, popups, sites }: Touch): Promise<void> {
  const own = await mainFrame(page);
  await popups.attend(page, within?.cdp);
  popups.touched(page, within?.frameId);
  sites.touched(page, within !== undefined && within.frameId !== own);
}

/** Call the returned function for each page that opens. */
function burstOf(onBurst: () => void): () => void {
  let openedAt: number[] = [];
  return () => {
    const now = performance.now();
    openedAt = [...openedAt.filter((at) => now - at < burstMs), now];
    if (openedAt.length === burstPages) onBurst();
  };
}
