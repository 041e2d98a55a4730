// How what was begun in a browser ends for somebody who takes the wheel: nothing of it goes on after that.

import type { Page } from 'playwright-core';
import { startDeadline, within } from './deadline.ts';
import type { Dialogs } from './dialogs.ts';
import { StepFailure } from './failure.ts';
import { passFrame } from './frame-passed.ts';
import type { Grasp } from './grasp.ts';
import type { Pages } from './pages.ts';
import type { Touching } from './touching.ts';

type Options = {
  pages: Pages;
  dialogs: Dialogs;
  touching: Touching;
  grasp: Grasp;
  signal: AbortSignal;
  /** Ends the browser, where nothing else does. */
  endBrowser: () => void;
};

/** What is under way gets so long to end by itself before the scripts of the page are stopped. */
const REST_MS = 45;
/** One may run for each of several things that the page was given: they are stopped so often. */
const STOP_EVERY_MS = 20;
const LET_GO_MS = 1000;
const FRAME_MS = 25;
/** How often in a row a driver may be asked to try again. */
const STUCK_TIMES = 2;

/** Resolves when no load, no script of ours and nothing else that was done to these pages is under way any more. */
export function createLetGo({ pages, dialogs, touching, grasp, signal, endBrowser }: Options) {
  let stuck = 0;

  /** Whoever asks again finds it over, or a browser that is: there is no third way for it to end. */
  function giveUp(): never {
    stuck += 1;
    if (stuck < STUCK_TIMES) throw new StepFailure('timeout', 'what was under way does not end; ask again');
    endBrowser();
    throw new StepFailure('crashed', 'what was under way did not end, and the browser was ended for it');
  }

  return async (touched: Page[]): Promise<void> => {
    const soon = startDeadline(LET_GO_MS, signal);
    const tell = async (page: Page, command: 'Page.stopLoading' | 'Runtime.terminateExecution') => {
      const cdp = await within(soon, pages.cdp(page));
      await cdp.send(command);
    };
    for (const page of touched) tell(page, 'Page.stopLoading').catch(() => undefined);
    // A page that asks something has had what was under way; one that only computes is stopped.
    const running = touched.filter((page) => dialogs.of(page) === null && !pages.isCrashed(page));
    /** Whether it came to its end: after a while, at the cost of what the pages compute. */
    const end = async (isOverIn: (ms: number) => Promise<boolean>, patienceMs: number): Promise<boolean> => {
      let isOver = await isOverIn(patienceMs);
      while (!isOver && !soon.isOver()) {
        for (const page of running) tell(page, 'Runtime.terminateExecution').catch(() => undefined);
        isOver = await isOverIn(Math.min(STOP_EVERY_MS, soon.leftMs()));
      }
      return isOver;
    };
    const isOver = running.length === 0 || (await end(touching.rest, REST_MS));
    // Not acknowledged before it is true: what a page that hangs was given may yet happen.
    if (!isOver && running.length === touched.length) return giveUp();
    stuck = 0;
    if (running.length === 0) return;
    const released = grasp.release();
    const isReleasedIn = (ms: number) => within(soon.atMost(ms), released.then(isTrue)).catch(() => false);
    await end(isReleasedIn, STOP_EVERY_MS);
    // What a page does with the next frame because of what it was given, it has done by then.
    const frames = running.map(async (page) => passFrame(await pages.cdp(page)));
    await within(soon.atMost(FRAME_MS), Promise.all(frames)).catch(() => undefined);
  };
}

const isTrue = () => true;
