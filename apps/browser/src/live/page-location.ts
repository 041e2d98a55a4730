// Where a page is, known before a frame needs it. Chromium tells when a page goes elsewhere, but not when it changes its
// title, so that is asked beside the frames and not before each.

import type { Frame, Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { startDeadline } from '../common/deadline.ts';
import type { PageLocation, Pages } from '../pages/pages.ts';

/** Asked no more often than this, and no less often while the page is watched. */
const soonMs = 250;
const idleMs = 1000;
const askMs = 500;

export type LocationFollower = {
  page: Page;
  /** Calls back with the place: at once where it is known, else when it is, with the newest callback only. */
  use(work: (place: PageLocation) => void): void;
  close(): void;
};

/** `onChange`: the place is another than was last used, though no frame may have come. */
export function followLocation(pages: Pages, page: Page, onChange: (place: PageLocation) => void): LocationFollower {
  const ended = new AbortController();
  const { signal } = ended;
  let known: PageLocation | undefined;
  let used: PageLocation | undefined;
  let waiting: ((place: PageLocation) => void) | undefined;
  let isAsking = false;
  /** The page went elsewhere while we asked. */
  let isOutdated = false;
  let timer: NodeJS.Timeout | undefined;
  let timerAt = Number.POSITIVE_INFINITY;

  function askIn(ms: number): void {
    const at = performance.now() + ms;
    if (signal.aborted || isAsking || timerAt <= at) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(() => void ask(), ms);
  }

  async function ask(): Promise<void> {
    clearTimeout(timer);
    timerAt = Number.POSITIVE_INFINITY;
    isAsking = true;
    isOutdated = false;
    const place = await bestEffort('read where the page is', pages.place(page, startDeadline(askMs, signal)));
    isAsking = false;
    if (signal.aborted) return;
    if (isOutdated) return void ask();
    // A page that does not say, as one that just went away, has its last frame shown all the same.
    tell(place ?? known ?? { url: page.url(), title: '' });
    askIn(idleMs);
  }

  function tell(place: PageLocation): void {
    known = place;
    const work = waiting;
    waiting = undefined;
    const isNews = used !== undefined && (used.url !== place.url || used.title !== place.title);
    if (work) {
      used = place;
      work(place);
    } else if (isNews) {
      used = place;
      onChange(place);
    }
  }

  const onNavigated = (frame: Frame) => {
    if (frame !== page.mainFrame()) return;
    known = undefined;
    isOutdated = true;
    if (!isAsking) void ask();
  };
  page.on('framenavigated', onNavigated);
  void ask();

  return {
    page,
    use(work) {
      askIn(soonMs);
      if (!known) {
        waiting = work;
        return;
      }
      used = known;
      work(known);
    },
    close() {
      ended.abort();
      clearTimeout(timer);
      page.off('framenavigated', onNavigated);
    },
  };
}
