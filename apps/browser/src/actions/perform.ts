// Performs one step and gathers its evidence. A failure says whether anything was touched before it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Acted, Gate, OnlyIf } from '@pilothouse/bus';
import type { Step, Target } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import { handledLater } from '../common/best-effort.ts';
import { type Deadline, within } from '../common/deadline.ts';
import { failureOf, StepFailure, stale } from '../common/failure.ts';
import type { Dom } from '../dom/dom.ts';
import type { DocumentsOf } from '../dom/worlds/typing-target.ts';
import type { InFlight } from '../driver/in-flight.ts';
import type { MouseButton } from '../driver/mouse-button.ts';
import type { BlockedRequests } from '../guard/blocked.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import type { Files } from '../pages/file-transfer.ts';
import { type Loading, type Until, watchLoading } from '../pages/loading.ts';
import type { Pages } from '../pages/pages.ts';
import type { SiteChanges } from '../pages/site-changes.ts';
import { act } from './act.ts';
import { type ActionTools, createActionTools } from './action-tools.ts';
import { createGate } from './gate.ts';
import { checkPage } from './only-if.ts';

/** Time of an act that is kept for its evidence. */
const finishMs = 1500;
const browserEndMs = 30;

/** Steps that leave the page on purpose: the page is not asked whether they may. */
const leavingActions = new Set<Step['action']>(['navigate', 'back', 'forward', 'reload', 'close_page']);
/** Steps that can be done while the page in front has a dialog open. */
const actionsPastDialog = new Set<Step['action']>([
  'answer_dialog',
  'close_page',
  'new_page',
  'focus_page',
  'screenshot',
]);

/** Steps that give the page something: never to a page of a site where no step went. */
const givingActions = new Set<Step['action']>([
  'type',
  'press',
  'select',
  'check',
  'upload',
  'click',
  'double_click',
  'drag',
  'download',
]);

export type StepResult = Omit<Acted, 'state' | 'picture' | 'after'>;

type Options = {
  pages: Pages;
  dialogs: Dialogs;
  files: Files;
  mouseButton: MouseButton;
  inFlight: InFlight;
  refused: BlockedRequests;
  sites: SiteChanges;
  documentsOf: DocumentsOf;
  eyesOf: (page: Page) => Dom;
};

/** `signal` is aborted when the driver is replaced. */
export type StepRequest = {
  step: Step;
  onlyIf?: OnlyIf;
  gate?: Gate;
  until: Until;
  deadline: Deadline;
  signal: AbortSignal;
};

export function createPerformer(options: Options) {
  const { pages, dialogs, sites, eyesOf } = options;

  return async function perform(request: StepRequest): Promise<StepResult> {
    const { step, onlyIf, until, deadline, signal } = request;
    const begun = performance.now();
    const page = pages.current();
    if (pages.isCrashed(page)) throw new StepFailure('crashed', 'the page has crashed');
    if (dialogs.of(page) && !actionsPastDialog.has(step.action)) throw dialogOpen();
    // Asked for now, and awaited at the end.
    const before = pages.place(page, deadline);
    handledLater(before);
    const asking = dialogs.asking(page);
    const stopLeaving = leavingActions.has(step.action) ? dialogs.leaveFreely() : undefined;
    const stopSending = leavingActions.has(step.action) ? sites.sending(page) : undefined;
    const finish = Math.min(finishMs, deadline.leftMs() / 4);
    const acting = deadline.keeping(finish).until(AbortSignal.any([signal, asking.signal, pages.gone(page)]));
    const check = () => {
      if (givingActions.has(step.action)) sites.check(page);
    };
    const gate = request.gate && createGate({ ...options, gate: request.gate, step, page });
    const tools = createActionTools({
      ...options,
      page,
      eyes: eyesOf(page),
      deadline: acting,
      check,
      onlyIf,
      gate,
      subject: subjectOf(step),
      isDrag: step.action === 'drag',
    });
    let loading: Loading | undefined;
    const doIt = async () => {
      const [cdp, mainFrame] = await within(acting, Promise.all([pages.cdp(page), pages.mainFrame(page)]));
      check();
      if (onlyIf) checkPage(onlyIf, page);
      if (!subjectOf(step)) await tools.checkAct();
      loading = watchLoading(page, cdp, mainFrame);
      await act(step, tools);
      await loading.rest(pages, until, acting);
      if (step.action === 'focus_page' || step.action === 'new_page') sites.accept(pages.current());
      if (step.action === 'wait' && !('secs' in step.for || 'idle' in step.for)) sites.recognise(page);
      // A new driver stopped what this step set in motion: it may not have been done.
      if (signal.aborted) throw stale();
    };
    try {
      await doIt().catch(async (error) => {
        // The end of a browser shows first as the end of its pages.
        if (page.isClosed()) await sleep(browserEndMs);
        if (signal.aborted) throw error;
        const isAlive = page.context().browser()?.isConnected() && !pages.isCrashed(page);
        if (!isAlive) throw new StepFailure('crashed', 'the page or its browser is gone', { cause: error });
        if (asking.signal.aborted) return throwUnlessTouched(tools, dialogOpen());
        if (page.isClosed()) return throwUnlessTouched(tools, new StepFailure('not_found', 'the page is closed'));
        throw error;
      });
    } catch (error) {
      throw failureOf(error, acting).after(tools.hasTouched());
    } finally {
      loading?.close();
      asking.close();
      stopLeaving?.();
      stopSending?.();
      tools.release();
    }
    const ended = performance.now();
    const waited = (tools.foundAt() ?? begun) - begun;
    return {
      ok: true,
      type: 'acted',
      before: await before,
      ...tools.result(),
      verdict: gate?.verdict(),
      dialog: dialogs.of(pages.current()),
      wait_ms: Math.round(waited),
      run_ms: Math.round(ended - begun - waited),
    };
  };
}

/** The element that the step is about. */
function subjectOf(step: Step): Target | undefined {
  if (step.action === 'drag') return step.from;
  return 'target' in step ? step.target : undefined;
}

/** A page that opens a dialog or closes because of the step has received it. */
function throwUnlessTouched(tools: ActionTools, otherwise: StepFailure): void {
  if (!tools.hasTouched()) throw otherwise;
}

const dialogOpen = () => new StepFailure('dialog_open', 'the page asks something first');
