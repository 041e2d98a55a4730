// The tabs in which a person works unseen by the programs of a session. They are in a context of their own, which no door
// shows, and end with the driver who opened them: nothing of them is left for the next but what was to be kept.

import type { BrowserContext, Page } from 'playwright-core';
import type { Chromium, Viewport } from '../chromium/launch.ts';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, startDeadline, within } from '../common/deadline.ts';
import { StepFailure, stale } from '../common/failure.ts';
import type { HandOver } from '../driver/hand-over.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import type { Pages } from '../pages/pages.ts';
import { type Beside, openBeside } from '../state/beside.ts';
import type { Reading } from '../state/site-storage.ts';
import type { Checkpoints } from './checkpoints.ts';

const openMs = 5000;
/** The next driver waits for it. */
const putBackMs = 2000;
const closeMs = 3000;
const showMs = 1000;

export type PrivateTabs = {
  /** A tab in front. `keep`: what sites have stored is the session's afterwards; the same for all tabs of one driver. */
  open(keep: boolean): Promise<Page>;
  /** The same, and the next driver finds none of these tabs. */
  following(handOver: HandOver): HandOver;
};

type Options = {
  chromium: Chromium;
  viewport: Viewport;
  context: BrowserContext;
  pages: Pages;
  dialogs: Dialogs;
  checkpoints: Pick<Checkpoints, 'saveSoon' | 'schedule'>;
  epoch: () => number;
  /** What holds for the context of the session holds for this one. */
  onContext: (context: BrowserContext) => void;
  /** Aborted when the session closes. */
  signal: AbortSignal;
};

type Opened = { beside: Beside; keep: boolean; epoch: number };

export function createPrivateTabs(options: Options): PrivateTabs {
  const { chromium, viewport, context, pages, dialogs, checkpoints, epoch, signal } = options;
  let current: Promise<Opened> | undefined;
  let ended: Promise<void> = Promise.resolve();

  async function begin(keep: boolean, deadline: Deadline): Promise<Opened> {
    const at = epoch();
    const state = await checkpoints.saveSoon(deadline);
    const openUnseen = pages.openUnseen;
    const beside = await openBeside({ chromium, viewport, main: context, state, openUnseen }, deadline);
    options.onContext(beside.context);
    pages.follow(beside.context);
    return { beside, keep, epoch: at };
  }

  async function end({ beside, keep }: Opened): Promise<void> {
    if (keep && !signal.aborted) {
      const deadline = startDeadline(putBackMs, signal);
      const isMute: Reading['isMute'] = (page) => dialogs.of(page) !== null || pages.isCrashed(page);
      const reading = { cdp: pages.cdp, mainFrame: pages.mainFrame, isMute, deadline, onCut: () => {} };
      await bestEffort('keep what private tabs stored', within(deadline, beside.putBack(reading)));
      checkpoints.schedule();
    }
    const front = pages.all().findLast((page) => !pages.isBeside(page));
    const deadline = startDeadline(closeMs, signal);
    if (front && pages.isBeside(pages.current()))
      await bestEffort('show a page of the session', within(deadline.atMost(showMs), pages.show(front)));
    await bestEffort('close the private tabs', within(deadline, beside.context.close()));
  }

  /** Ends the tabs if they are still those. Resolves when nothing of any former ones is left. */
  function finish(mine: Promise<Opened>, opened: Opened): Promise<void> {
    if (current !== mine) return ended;
    current = undefined;
    ended = ended.then(() => end(opened));
    return ended;
  }

  return {
    async open(keep) {
      await ended;
      const deadline = startDeadline(openMs, signal);
      current ??= begin(keep, deadline);
      const mine = current;
      const opened = await mine.catch((error) => {
        if (current === mine) current = undefined;
        throw error;
      });
      // A driver who has just come ends them.
      if (opened.epoch !== epoch()) throw stale();
      if (opened.keep !== keep) throw new StepFailure('unsupported', 'close the private tabs that are open first');
      const page = await within(deadline, pages.open(opened.beside.context));
      page.once('close', () => {
        if (opened.beside.context.pages().length === 0) void finish(mine, opened);
      });
      return page;
    },
    following: (handOver) => async (offered, who) => {
      const isTaken = await handOver(offered, who);
      const mine = current;
      const opened = isTaken && mine ? await mine.catch(() => undefined) : undefined;
      if (mine && opened && opened.epoch !== epoch()) await finish(mine, opened);
      else if (isTaken) await ended;
      return isTaken;
    },
  };
}
