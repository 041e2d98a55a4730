// Live pictures of the page in front, only while it is watched.

import type { PrivateReason } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { startDeadline } from '../common/deadline.ts';
import type { PageLocation, Pages } from '../pages/pages.ts';
import { type LivePage, showPage } from './live-page.ts';
import { followLocation, type LocationFollower } from './page-location.ts';
import { strictest } from './privacy.ts';
import { type Shot, takeShot } from './screenshot.ts';

/** Between two frames, for each that looks on; the one that wants most decides. */
const intervals = { driver: 33, viewer: 100, recorder: 500 };
type Onlooker = keyof typeof intervals;
const shotMs = 2000;
/** A frame that a watcher has not seen is on its way for this long; then it is lost. */
const onItsWayMs = 250;

export type Screencast = {
  /** A viewer watches, a person drives, or an agent records, for this long. `seen`: the last frame that came to them. */
  watch(forMs: number, by?: Onlooker, seen?: string | null): void;
  /** A person acts on the page: the effect is to be seen at once. */
  touch(): void;
  /** The last picture of the page was for fewer viewers than may see it now. */
  renew(page: Page): void;
  /** What is said beside the picture has changed, and the picture has not. */
  showAgain(page: Page): void;
  /** The picture on the screen as the cast last had it; undefined while it does not run. */
  latest(): Shot | undefined;
  isWatched(): boolean;
  /** Whether a viewer or a driver waits for pictures; an agent that only records does not count. */
  isShown(): boolean;
  close(): void;
};

type Options = {
  pages: Pages;
  /** Why a picture of the page, drawn now or then, is not for every viewer. */
  reasonOf: (page: Page, drawnAt?: number) => PrivateReason | undefined;
  /** Of the driver. */
  epoch: () => number;
  /** Returns the id of the frame that it becomes, if it becomes one. */
  onShot: (shot: Shot, place: PageLocation) => string | undefined;
};
type WatchedPage = LivePage & { place: LocationFollower };

export function createScreencast({ pages, reasonOf, epoch, onShot }: Options): Screencast {
  const until: Record<Onlooker, number> = { driver: 0, viewer: 0, recorder: 0 };
  let timer: NodeJS.Timeout | undefined;
  let running: WatchedPage | undefined;
  let latest: Shot | undefined;
  const sent = createLastSent();

  const isDriven = () => performance.now() < until.driver;
  const isViewed = () => performance.now() < until.viewer;
  const intervalMs = () => (isDriven() ? intervals.driver : isViewed() ? intervals.viewer : intervals.recorder);

  function keep(shot: Shot, drawnAt?: number): void {
    shot.privateReason = strictest(shot.privateReason, reasonOf(shot.page, drawnAt));
    shot.epoch ??= epoch();
    latest = shot;
    running?.place.use((place) => latest === shot && send(shot, place));
  }

  function send(shot: Shot, place: PageLocation): void {
    sent.note(onShot(shot, place));
  }

  /** A title may change without a frame. */
  function showPlace(place: PageLocation): void {
    if (!latest || latest.page !== running?.page) return;
    // Where a page is may be private although its last picture is not.
    const privateReason = strictest(latest.privateReason, reasonOf(latest.page));
    const isNew = privateReason !== latest.privateReason;
    send(isNew ? { ...latest, privateReason, epoch: epoch() } : latest, place);
  }

  function start(): void {
    const page = pages.current();
    if (running?.page === page) return;
    stop();
    const place = followLocation(pages, page, showPlace);
    running = { ...showPage({ page, pages, intervalMs, isDriven, onShot: keep }), place };
  }

  function stop(): void {
    running?.close();
    running?.place.close();
    running = undefined;
    latest = undefined;
    sent.note(undefined);
  }

  pages.onSwitch(() => running && start());

  return {
    watch(forMs, by = 'viewer', seen?) {
      const now = performance.now();
      until[by] = Math.max(until[by], now + forMs);
      clearTimeout(timer);
      timer = setTimeout(stop, Math.max(...Object.values(until)) - now);
      start();
      if (by === 'driver') running?.castIfPolling('first');
      if (seen !== undefined && sent.isLost(seen)) running?.place.use(showPlace);
    },
    touch: () => running?.castIfPolling('touched'),
    renew(page) {
      const now = running;
      if (now?.page !== page) return;
      // A page at rest sends no frame by itself.
      const shot = takeShot(pages, page, startDeadline(shotMs, new AbortController().signal));
      void bestEffort('renew a picture', shot).then((taken) => taken && running === now && keep(taken));
    },
    showAgain(page) {
      if (running?.page === page) running.place.use(showPlace);
    },
    latest: () => (latest?.page === pages.current() ? latest : undefined),
    isWatched: () => running !== undefined,
    isShown: () => isDriven() || isViewed(),
    close() {
      clearTimeout(timer);
      stop();
    },
  };
}

/** The frame that was sent last, of which a watcher says which one it has seen. */
function createLastSent() {
  let last: { frameId: string; at: number } | undefined;
  return {
    note(frameId: string | undefined): void {
      last = frameId === undefined ? undefined : { frameId, at: performance.now() };
    },
    isLost: (seen: string | null) =>
      last !== undefined && last.frameId !== seen && performance.now() - last.at > onItsWayMs,
  };
}
