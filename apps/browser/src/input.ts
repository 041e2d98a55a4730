// A person's hand, as it comes over the bus: in order, each input once, and nothing of it after another took the wheel.
// What is typed here is nobody's business: it goes to the page and into no message and no log.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Input, type NumberedInput, WaitError } from '@pilothouse/bus';
import type { Page } from 'playwright-core';
import { createChoosers } from './choosers.ts';
import { startDeadline, within } from './deadline.ts';
import { noLease, StepFailure, stale } from './failure.ts';
import { createGoing, type Going } from './going.ts';
import { createHand, type Touch } from './hand.ts';
import { createInOrder } from './in-order.ts';
import type { Pages } from './pages.ts';

/** A page that is busy for so long hangs. Until then what is typed waits for it, as it does in any browser. */
const HANG_MS = 3000;
const GO_MS = 8000;
const RELEASE_MS = 1000;
const ANSWER_MS = 2000;
const DIALOG_POLL_MS = 10;
const CHOOSER_MS = 1000;

export type OpenDialog = { accept(text?: string): Promise<void>; dismiss(): Promise<void> };

type Options = {
  pages: Pages;
  /** What the page asks and waits for, while it does. */
  dialog: () => OpenDialog | undefined;
  /** Where a file lies that was put for the session by this name. */
  fileCalled: (name: string) => string | undefined;
  /** Whether this host may act at all. Asked before each input, as one may wait long for its turn. */
  isHeld: () => boolean;
  /** Somebody does something: there will be something to see. */
  onTouch: () => void;
};

export type InputDesk = {
  /** Resolves with the last number that is done when all of these are; rejects with a StepFailure. */
  take(inputs: NumberedInput[]): Promise<number>;
  /**
   * The driver before has gone: what waits is dropped, what is held down is let go, numbers begin at 1 again. Resolves
   * when nothing of the former touches a page any more, neither here nor by what else it had in hand. Only what was
   * handed already to a page that hangs, or asks something, cannot be had back.
   */
  releaseAll(inHand?: Promise<unknown>): Promise<void>;
  close(): Promise<void>;
};

export function createInput({ pages, dialog, fileCalled, isHeld, onTouch }: Options): InputDesk {
  const hand = createHand(pages);
  const going = createGoing(pages);
  const choosers = createChoosers(pages);
  const order = createInOrder<Input>({
    perform,
    isOutdated: (input, next) => input.action === 'move' && next.action === 'move',
  });
  /** Pages that hang, and until when nobody tries whether they still do. */
  const hanging = new WeakMap<Page, number>();
  let drivers = 0;
  let released: Promise<void> = Promise.resolve();

  async function perform(input: Input, signal: AbortSignal): Promise<void> {
    if (!isHeld()) throw noLease();
    onTouch();
    switch (input.action) {
      case 'answer_dialog':
        return answer(input.accept, input.text);
      case 'choose_files':
        return chooseFiles(input.files);
      case 'focus':
      case 'new_page':
      case 'close_page':
        return go(input, signal);
      case 'navigate':
      case 'back':
      case 'forward':
      case 'reload':
        if (dialog()) throw blocked();
        return withoutDialog(go(input, signal));
      default:
        return touch(input, signal);
    }
  }

  function go(input: Going, signal: AbortSignal): Promise<void> {
    return within(firmly(GO_MS), going.go(input, signal));
  }

  async function touch(input: Touch, signal: AbortSignal): Promise<void> {
    const page = pages.current();
    if (dialog()) {
      // Moving about in front of a dialog is no mistake, and nothing comes of it.
      if (input.action === 'move') return;
      throw blocked();
    }
    if (performance.now() < (hanging.get(page) ?? 0)) throw hangs();
    const touching = hand.touch(page, input, signal).finally(() => hanging.delete(page));
    await withoutDialog(within(firmly(HANG_MS), touching)).catch((error) => {
      if (!(error instanceof WaitError)) throw error;
      hanging.set(page, performance.now() + HANG_MS);
      throw hangs();
    });
  }

  /** Ends with the work, or with a dialog that the work opened: then the work ends when that is answered. */
  async function withoutDialog(work: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const asked = new Promise<void>((resolve) => {
      timer = setInterval(() => dialog() && resolve(), DIALOG_POLL_MS);
    });
    await Promise.race([work, asked]).finally(() => clearInterval(timer));
  }

  async function answer(accept: boolean, text: string | undefined): Promise<void> {
    const open = dialog();
    if (!open) throw new StepFailure('not_found', 'no dialog is open');
    await within(firmly(ANSWER_MS), accept ? open.accept(text) : open.dismiss());
  }

  async function chooseFiles(names: string[]): Promise<void> {
    const paths = names.map((name) => {
      const path = fileCalled(name);
      if (path === undefined) throw new StepFailure('not_found', 'no file was put by this name');
      return path;
    });
    const page = pages.current();
    // The click that opens it is done before it is there.
    const late = performance.now() + CHOOSER_MS;
    let chooser = choosers.take(page);
    while (!chooser && performance.now() < late) {
      await sleep(DIALOG_POLL_MS);
      chooser = choosers.take(page);
    }
    if (!chooser) throw new StepFailure('not_found', 'no file chooser is open');
    // None at all is how a person closes it.
    if (paths.length === 0) return;
    const deadline = firmly(ANSWER_MS);
    await within(deadline, chooser.setFiles(paths, { timeout: deadline.leftMs() }));
  }

  async function letGo(): Promise<void> {
    choosers.stop();
    // Late is no failure here: the browser has been told, and does it before anything that it is told later.
    await within(firmly(RELEASE_MS), withoutDialog(Promise.allSettled([going.stop(), hand.release()]))).catch(
      () => undefined,
    );
  }

  function releaseAll(inHand?: Promise<unknown>): Promise<void> {
    drivers += 1;
    released = Promise.allSettled([released, order.reset(), inHand]).then(letGo);
    return released;
  }

  return {
    async take(inputs) {
      const driver = drivers;
      await released;
      const ready = choosers.start();
      // A page that asks something says nothing else, and opens no chooser.
      if (!dialog()) await ready;
      if (driver !== drivers) throw stale();
      return order.take(inputs.map(({ seq, input }) => ({ seq, item: input })));
    },
    releaseAll,
    close: () => releaseAll(),
  };
}

/** Not cut off by another driver, who is to wait for what was begun. */
const firmly = (ms: number) => startDeadline(ms, new AbortController().signal);
const blocked = () => new StepFailure('dialog_open', 'the page asks something first');
const hangs = () => new StepFailure('timeout', 'the page does not answer');
