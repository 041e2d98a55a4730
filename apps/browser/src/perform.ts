// One step, from the wish to the evidence.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Acted } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import { act } from './actions/act.ts';
import { createHands, type Hands } from './actions/hands.ts';
import { type Deadline, within } from './deadline.ts';
import type { Dialogs } from './dialogs.ts';
import type { Eyes } from './eyes/eyes.ts';
import { failureOf, StepFailure, stale } from './failure.ts';
import type { Files } from './files.ts';
import type { Grasp } from './grasp.ts';
import type { Pages } from './pages.ts';
import type { Refused } from './refused.ts';
import { type Loading, type Until, watchLoading } from './settle.ts';
import type { Touching } from './touching.ts';

/** Kept of the time of an act, for the evidence after it. */
const FINISH_MS = 1500;
const END_MS = 30;

/** Steps that leave the page on purpose: whether they may is not asked. */
const leaving = new Set<Step['action']>(['navigate', 'back', 'forward', 'reload', 'close_page']);
/** What can be done although the page in front waits for an answer. */
const pastDialog = new Set<Step['action']>(['answer_dialog', 'close_page', 'new_page', 'focus_page', 'screenshot']);

export type Performed = Omit<Acted, 'state' | 'picture' | 'after'>;

type Parts = {
  pages: Pages;
  dialogs: Dialogs;
  files: Files;
  grasp: Grasp;
  touching: Touching;
  refused: Refused;
  eyesOf: (page: Page) => Eyes;
};

/** `signal` ends the act when its driver is replaced. */
export type Performing = { step: Step; until: Until; deadline: Deadline; signal: AbortSignal };

/** Does the step. A failure says whether anything was touched before it. */
export function createPerformer(parts: Parts) {
  const { pages, dialogs, eyesOf } = parts;

  return async function perform({ step, until, deadline, signal }: Performing): Promise<Performed> {
    const begun = performance.now();
    const page = pages.current();
    if (pages.isCrashed(page)) throw new StepFailure('crashed', 'the page has crashed');
    if (dialogs.of(page) && !pastDialog.has(step.action)) throw dialogOpen();
    // Asked now, and waited for when it is needed.
    const before = pages.place(page, deadline);
    before.catch(() => undefined);
    const asking = dialogs.asking(page);
    const stopLeaving = leaving.has(step.action) ? dialogs.leaveFreely() : undefined;
    const finish = Math.min(FINISH_MS, deadline.leftMs() / 4);
    const acting = deadline.keeping(finish).until(AbortSignal.any([signal, asking.signal, pages.gone(page)]));
    const hands = createHands({ ...parts, page, eyes: eyesOf(page), deadline: acting });
    let loading: Loading | undefined;
    const doIt = async () => {
      const [cdp, mainFrame] = await within(acting, Promise.all([pages.cdp(page), pages.mainFrame(page)]));
      loading = watchLoading(page, cdp, mainFrame);
      await act(step, hands);
      await loading.rest(pages.current, until, acting);
      // Whoever took the wheel stopped what this had set in motion: nobody can say that it was done.
      if (signal.aborted) throw stale();
    };
    try {
      await doIt().catch(async (error) => {
        // The end of a browser shows first as the end of its pages.
        if (page.isClosed()) await sleep(END_MS);
        if (signal.aborted) throw error;
        const isAlive = page.context().browser()?.isConnected() && !pages.isCrashed(page);
        if (!isAlive) throw new StepFailure('crashed', 'the page or its browser is gone', { cause: error });
        if (asking.signal.aborted) return hasArrived(hands, dialogOpen());
        if (page.isClosed()) return hasArrived(hands, new StepFailure('not_found', 'the page is closed'));
        throw error;
      });
    } catch (error) {
      throw failureOf(error).after(hands.hasTouched());
    } finally {
      loading?.close();
      asking.close();
      stopLeaving?.();
      hands.release();
    }
    const ended = performance.now();
    const waited = (hands.foundAt() ?? begun) - begun;
    return {
      ok: true,
      type: 'acted',
      before: await before,
      ...hands.done(),
      dialog: dialogs.of(pages.current()),
      wait_ms: Math.round(waited),
      run_ms: Math.round(ended - begun - waited),
    };
  };
}

/** A page that asks something or closes because of the act has got what was meant for it. */
function hasArrived(hands: Hands, otherwise: StepFailure): void {
  if (!hands.hasTouched()) throw otherwise;
}

const dialogOpen = () => new StepFailure('dialog_open', 'the page asks something first');
