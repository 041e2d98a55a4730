// Live pixels, only while somebody watches, and at the price of what there is to see: cast while a page changes now and
// then or somebody drives it, polled while it moves without end.

import type { Frame, Page } from 'playwright-core';
import { startCast } from './cast.ts';
import { startDeadline } from './deadline.ts';
import type { Pages, Place } from './pages.ts';
import { type Shot, takeShot } from './picture.ts';
import { followPlace, type PlaceFollower } from './place-follower.ts';
import { startPoll } from './poll.ts';
import { watchForRest } from './restless.ts';

const WATCHED_INTERVAL_MS = 100;
const DRIVEN_INTERVAL_MS = 33;
/** How long a page may move before it is taken to do so without end: at first, after an act, and when tried again. */
const PATIENCE_MS = 3000;
const TOUCHED_PATIENCE_MS = 2000;
const TRIAL_PATIENCE_MS = 700;
/** A page that now changes slower than we poll looks restless to a poll; a short cast tells. */
const TRIAL_EVERY_MS = 10_000;
const SHOT_MS = 2000;

export type Screencast = {
  /** Somebody watches, or drives, for so long. */
  watch(forMs: number, isDriven?: boolean): void;
  /** Somebody does something on the page: what comes of it is to be seen at once. */
  touch(): void;
  /** What was shown of the page last was not for everybody, and now there is something that is. */
  renew(page: Page): void;
  /** The picture on the screen as the cast last had it; undefined while it does not run. */
  latest(): Shot | undefined;
  isWatched(): boolean;
  close(): void;
};

type Options = {
  pages: Pages;
  /** Whether what is seen of the page, now or when it was drawn, is only for who drives. */
  isPrivate: (page: Page, drawnAt?: number) => boolean;
  /** Who drives now. */
  epoch: () => number;
  onShot: (shot: Shot, place: Place) => void;
};
type Running = { page: Page; place: PlaceFollower; isPolling: boolean; stop(): void };

export function createScreencast({ pages, isPrivate, epoch, onShot }: Options): Screencast {
  let watchedUntil = 0;
  let drivenUntil = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Running | undefined;
  let latest: Shot | undefined;

  const isDriven = () => performance.now() < drivenUntil;
  const intervalMs = () => (isDriven() ? DRIVEN_INTERVAL_MS : WATCHED_INTERVAL_MS);

  function keep(shot: Shot, drawnAt?: number): void {
    shot.isPrivate ||= isPrivate(shot.page, drawnAt);
    shot.epoch ??= epoch();
    latest = shot;
    running?.place.use((place) => latest === shot && onShot(shot, place));
  }

  /** A title may change without a frame that would say so. */
  function showPlace(place: Place): void {
    if (!latest || latest.page !== running?.page) return;
    // Where a page is may be private although its last picture is not.
    const isNew = !latest.isPrivate && isPrivate(latest.page);
    onShot(isNew ? { ...latest, isPrivate: true, epoch: epoch() } : latest, place);
  }

  function cast(now: Running, patienceMs: number): void {
    now.stop();
    now.isPolling = false;
    let rest = watchForRest(patienceMs);
    now.stop = startCast({
      page: now.page,
      pages,
      intervalMs,
      onShot(shot, drawnAt) {
        keep(shot, drawnAt);
        if (isDriven()) rest = watchForRest(PATIENCE_MS);
        else if (rest.isRestless()) poll(now);
      },
    });
  }

  function poll(now: Running): void {
    now.stop();
    now.isPolling = true;
    const trial = setTimeout(() => cast(now, TRIAL_PATIENCE_MS), TRIAL_EVERY_MS);
    const { page } = now;
    const stop = startPoll({ page, pages, onShot: keep, onRest: () => cast(now, PATIENCE_MS) });
    now.stop = () => {
      clearTimeout(trial);
      stop();
    };
  }

  function start(): void {
    const page = pages.current();
    if (running?.page === page) return;
    stop();
    const place = followPlace(pages, page, showPlace);
    running = { page, place, isPolling: false, stop: () => undefined };
    page.on('framenavigated', onNavigated);
    cast(running, PATIENCE_MS);
  }

  function stop(): void {
    running?.stop();
    running?.place.close();
    running?.page.off('framenavigated', onNavigated);
    running = undefined;
    latest = undefined;
  }

  function castIfPolling(patienceMs: number): void {
    if (running?.isPolling) cast(running, patienceMs);
  }
  const onNavigated = (frame: Frame) => {
    if (frame === running?.page.mainFrame()) castIfPolling(PATIENCE_MS);
  };
  pages.onSwitch(() => running && start());

  return {
    watch(forMs, drives = false) {
      const now = performance.now();
      watchedUntil = Math.max(watchedUntil, now + forMs);
      if (drives) drivenUntil = Math.max(drivenUntil, now + forMs);
      clearTimeout(timer);
      timer = setTimeout(stop, watchedUntil - now);
      start();
      if (drives) castIfPolling(PATIENCE_MS);
    },
    touch: () => castIfPolling(TOUCHED_PATIENCE_MS),
    renew(page) {
      const now = running;
      if (now?.page !== page) return;
      // A page at rest sends no frame by itself.
      takeShot(pages, page, startDeadline(SHOT_MS, new AbortController().signal)).then(
        (shot) => running === now && keep(shot),
        () => undefined,
      );
    },
    latest: () => (latest?.page === pages.current() ? latest : undefined),
    isWatched: () => running !== undefined,
    close() {
      clearTimeout(timer);
      stop();
    },
  };
}
