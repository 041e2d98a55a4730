// Where a page is, known before a frame needs it. Chromium tells when a page goes elsewhere, but not when it changes its
// title, so that is asked beside the frames and not before each.

import type { Frame, Page } from 'playwright-core';
import { startDeadline } from './deadline.ts';
import type { Pages, Place } from './pages.ts';

/** Asked no more often than this, and no less often while somebody watches. */
const SOON_MS = 250;
const IDLE_MS = 1000;
const ASK_MS = 500;

export type PlaceFollower = {
  page: Page;
  /** Calls back with the place: at once where it is known, else when it is, with the newest callback only. */
  use(work: (place: Place) => void): void;
  close(): void;
};

/** `onChange`: the place is another than was last used, though no frame may have come. */
export function followPlace(pages: Pages, page: Page, onChange: (place: Place) => void): PlaceFollower {
  const ended = new AbortController();
  const { signal } = ended;
  let known: Place | undefined;
  let used: Place | undefined;
  let waiting: ((place: Place) => void) | undefined;
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
    const place = await pages.place(page, startDeadline(ASK_MS, signal)).catch(() => undefined);
    isAsking = false;
    if (signal.aborted) return;
    if (isOutdated) return void ask();
    // A page that does not say, as one that just went away, has its last frame shown all the same.
    tell(place ?? known ?? { url: page.url(), title: '' });
    askIn(IDLE_MS);
  }

  function tell(place: Place): void {
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
      askIn(SOON_MS);
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
