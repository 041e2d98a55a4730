// One page that is watched: cast while it changes now and then or a person drives it, polled while it moves without end.

import type { Frame, Page } from 'playwright-core';
import type { Pages } from '../pages/pages.ts';
import { startCast } from './cast.ts';
import { watchForRest } from './motion.ts';
import { startPoll } from './polling.ts';
import type { Shot } from './screenshot.ts';

/** How long a page may move before it counts as moving without end: at first, after an act, and when tried again. */
const patienceMs = { first: 3000, touched: 2000, trial: 700 };
/** A page that now changes slower than we poll looks restless to a poll; a short cast tells. */
const trialEveryMs = 10_000;

export type LivePage = {
  page: Page;
  /** Casts the page again if it was polled. */
  castIfPolling(patience: 'first' | 'touched'): void;
  close(): void;
};

type Options = {
  page: Page;
  pages: Pages;
  intervalMs: () => number;
  isDriven: () => boolean;
  onShot: (shot: Shot, drawnAt?: number) => void;
};

export function showPage({ page, pages, intervalMs, isDriven, onShot }: Options): LivePage {
  let isPolling = false;
  let stop = (): void => undefined;

  function cast(patience: keyof typeof patienceMs): void {
    stop();
    isPolling = false;
    let rest = watchForRest(patienceMs[patience], intervalMs);
    stop = startCast({
      page,
      pages,
      intervalMs,
      onShot(shot, drawnAt) {
        onShot(shot, drawnAt);
        if (isDriven()) rest = watchForRest(patienceMs.first, intervalMs);
        else if (rest.isRestless()) poll();
      },
    });
  }

  function poll(): void {
    stop();
    isPolling = true;
    const trial = setTimeout(() => cast('trial'), trialEveryMs);
    const stopPoll = startPoll({ page, pages, intervalMs, onShot, onRest: () => cast('first') });
    stop = () => {
      clearTimeout(trial);
      stopPoll();
    };
  }

  function castIfPolling(patience: 'first' | 'touched'): void {
    if (isPolling) cast(patience);
  }
  const onNavigated = (frame: Frame) => {
    if (frame === page.mainFrame()) castIfPolling('first');
  };
  page.on('framenavigated', onNavigated);
  cast('first');

  return {
    page,
    castIfPolling,
    close() {
      stop();
      page.off('framenavigated', onNavigated);
    },
  };
}
