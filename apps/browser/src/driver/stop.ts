// Stops what the former driver began in a browser. Nothing of it goes on after that.

import type { Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { startDeadline, within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import { waitForNextFrame } from '../pages/next-frame.ts';
import type { Pages } from '../pages/pages.ts';
import type { InFlight } from './in-flight.ts';
import type { MouseButton } from './mouse-button.ts';

type Options = {
  pages: Pages;
  dialogs: Dialogs;
  inFlight: InFlight;
  mouseButton: MouseButton;
  signal: AbortSignal;
  /** Ends the browser, where nothing else stops it. */
  endBrowser: () => void;
};

/** How long operations get to end by themselves before the scripts of the pages are stopped. */
const patienceMs = 45;
/** A page can have several scripts queued, so it is stopped again this often until it is idle. */
const stopEveryMs = 20;
const stopMs = 1000;
const frameMs = 25;
/** Stops that fail in a row before the browser is ended. */
const maxFailedStops = 2;

/** Resolves when no load, no script of ours and no other operation on these pages is in flight any more. */
export function createStop({ pages, dialogs, inFlight, mouseButton, signal, endBrowser }: Options) {
  let failedStops = 0;

  /** A driver that asks again finds the pages stopped, or the browser ended: there is no third outcome. */
  function giveUp(): never {
    failedStops += 1;
    if (failedStops < maxFailedStops) throw new StepFailure('timeout', 'what was under way does not end; ask again');
    endBrowser();
    throw new StepFailure('crashed', 'what was under way did not end, and the browser was ended for it');
  }

  return async (touched: Page[]): Promise<void> => {
    const soon = startDeadline(stopMs, signal);
    const tell = async (page: Page, command: 'Page.stopLoading' | 'Runtime.terminateExecution') => {
      const cdp = await within(soon, pages.cdp(page));
      await cdp.send(command);
    };
    for (const page of touched) void bestEffort('stop loading', tell(page, 'Page.stopLoading'));
    // A page with an open dialog has received what was under way; a page that only computes is stopped.
    const running = touched.filter((page) => dialogs.of(page) === null && !pages.isCrashed(page));
    /** Whether it ended: at first by itself, then by stopping what the pages compute. */
    const end = async (isOverIn: (ms: number) => Promise<boolean>, waitMs: number): Promise<boolean> => {
      let isOver = await isOverIn(waitMs);
      while (!isOver && !soon.isOver()) {
        for (const page of running) void bestEffort('stop a script', tell(page, 'Runtime.terminateExecution'));
        isOver = await isOverIn(Math.min(stopEveryMs, soon.leftMs()));
      }
      return isOver;
    };
    const isOver = running.length === 0 || (await end(inFlight.idle, patienceMs));
    // Not acknowledged before it is true: a page that hangs may still act on what it was given.
    if (!isOver && running.length === touched.length) return giveUp();
    failedStops = 0;
    if (running.length === 0) return;
    const released = mouseButton.release();
    const isReleasedIn = (ms: number) => within(soon.atMost(ms), released.then(isTrue)).catch(() => false);
    await end(isReleasedIn, stopEveryMs);
    // After its next frame, a page has done what it does in that frame because of what it was given.
    const frames = running.map(async (page) => waitForNextFrame(await pages.cdp(page)));
    await within(soon.atMost(frameMs), Promise.all(frames)).catch(() => undefined);
  };
}

const isTrue = () => true;
