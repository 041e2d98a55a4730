// The input of a person, as it comes over the bus: in order, each input once, and nothing of it after another driver
// took over. What a person types goes to the page, and into no message and no log.

import { type Input, type NumberedInput, WaitError } from '@pilothouse/bus';
import type { FileChooser } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { within } from '../common/deadline.ts';
import { noLease, StepFailure, stale } from '../common/failure.ts';
import type { FieldUse } from '../dom/injected/use-open-field.ts';
import type { DocumentsOf } from '../dom/worlds/typing-target.ts';
import type { Pages } from '../pages/pages.ts';
import type { SiteChanges } from '../pages/site-changes.ts';
import type { OpenFields } from '../prompts/open-fields.ts';
import type { DeviceInput } from './device-input.ts';
import { answerDialog, type DialogNow, dialogOpen, untilDialog } from './dialog-wait.ts';
import { createFileChoosers } from './file-choosers.ts';
import { keyNamed, pressKey } from './keyboard.ts';
import { createMouseKeyboard } from './mouse-keyboard.ts';
import { createNavigator, type NavigationInput } from './navigation.ts';
import { createSequencer } from './sequencer.ts';
import { uncut } from './uncut.ts';

/** A page that is busy for longer hangs. Until then what is typed waits for it, as it does in any browser. */
const hangMs = 3000;
const navigateMs = 8000;
const releaseMs = 1000;

const fieldMs = 2000;
const closeMs = 300;

const loading = new Set<NavigationInput['action']>(['navigate', 'back', 'forward', 'reload']);
const pressing = new Set<DeviceInput['action']>(['click', 'double_click', 'down', 'up']);

type Options = {
  pages: Pages;
  sites: SiteChanges;
  documentsOf: DocumentsOf;
  dialog: DialogNow;
  /** Lists and pickers that the person has opened. */
  fields: OpenFields;
  /** Opens a page that no program sees. */
  openPrivate: (keep: boolean) => Promise<Page>;
  /** The path of a file that was put for the session by this name. */
  fileCalled: (name: string) => string | undefined;
  /** Whether this host may act at all. Asked before each input, because an input may wait long for its turn. */
  isHeld: () => boolean;
  /** Called before each input: the page is about to change. */
  onTouch: (input: Input) => void;
  /** A file chooser was opened or closed. */
  onChooser: () => void;
};

export type PersonInput = {
  /** The file chooser that the page has open. */
  chooserOf(page: Page): FileChooser | null;
  /** Resolves with the last number that is done when all of these are; rejects with a StepFailure. */
  take(inputs: NumberedInput[], clientNo?: number): Promise<number>;
  /** The last number that was accepted. From then on input of windows with a lower number is refused. */
  count(clientNo?: number): Promise<number>;
  /**
   * Ends the driver's input: what waits is dropped, what is held down is released, numbers begin at 1 again. Resolves
   * when nothing of the former driver touches a page any more, neither here nor by `inHand`. Only what a page that
   * hangs, or has a dialog open, was given already cannot be taken back.
   */
  releaseAll(inHand?: Promise<unknown>): Promise<void>;
  close(): Promise<void>;
};

export function createInput(options: Options): PersonInput {
  const { pages, dialog } = options;
  const devices = createMouseKeyboard(options);
  const navigator = createNavigator(pages, options.openPrivate);
  const choosers = createFileChoosers(pages, options.onChooser);
  const perform = createInputPerformer(options, { devices, navigator, choosers });
  const sequencer = createSequencer<Input>({
    perform,
    isOutdated: (input, next) => input.action === 'move' && next.action === 'move',
  });
  let drivers = 0;
  let released: Promise<void> = Promise.resolve();

  async function letGo(): Promise<void> {
    choosers.stop();
    options.fields.stop();
    const stopped = Promise.allSettled([navigator.stop(), devices.release()]);
    // Late is no failure here: the browser has been told, and does it before anything that it is told later.
    await within(uncut(releaseMs), untilDialog(dialog, stopped)).catch(() => undefined);
  }

  function releaseAll(inHand?: Promise<unknown>): Promise<void> {
    drivers += 1;
    released = Promise.allSettled([released, sequencer.reset(), inHand]).then(letGo);
    return released;
  }

  return {
    chooserOf: choosers.shown,
    async count(clientNo) {
      const driver = drivers;
      await released;
      if (driver !== drivers) throw stale();
      return sequencer.count(clientNo);
    },
    async take(inputs, clientNo) {
      const driver = drivers;
      await released;
      const ready = choosers.start();
      // A page with an open dialog answers nothing, and opens no file chooser.
      if (!dialog()) await ready;
      if (driver !== drivers) throw stale();
      return sequencer.take(
        inputs.map(({ seq, input }) => ({ seq, item: input })),
        clientNo,
      );
    },
    releaseAll,
    close: () => releaseAll(),
  };
}

type Tools = {
  devices: ReturnType<typeof createMouseKeyboard>;
  navigator: ReturnType<typeof createNavigator>;
  choosers: ReturnType<typeof createFileChoosers>;
};

/** Performs one input. */
function createInputPerformer(options: Options, { devices, navigator, choosers }: Tools) {
  const { pages, sites, dialog, fields, fileCalled, isHeld, onTouch } = options;
  /** Pages that hang, and until when they are not tried again. */
  const hangingUntil = new WeakMap<Page, number>();

  async function navigate(input: NavigationInput, signal: AbortSignal): Promise<void> {
    if (loading.has(input.action) && pages.isCrashed(pages.current())) {
      await pages.repair(uncut(navigateMs));
      if (input.action === 'reload') return;
    }
    const arrived = sites.sending(pages.current());
    await within(uncut(navigateMs), navigator.go(input, signal)).finally(arrived);
    sites.accept(pages.current());
  }

  async function useDevice(input: DeviceInput, signal: AbortSignal): Promise<void> {
    const page = pages.current();
    if (dialog() || pages.isCrashed(page)) {
      // Moving the mouse over a page that takes no input is no mistake, and does nothing.
      if (input.action === 'move') return;
      throw dialog() ? dialogOpen() : hasCrashed();
    }
    if (performance.now() < (hangingUntil.get(page) ?? 0)) throw hangs();
    // A person who presses on a page has seen where it is; one who only goes on typing may not have.
    if (pressing.has(input.action)) sites.accept(page);
    const touching = devices.touch(page, input, signal).finally(() => hangingUntil.delete(page));
    await untilDialog(dialog, within(uncut(hangMs), touching)).catch((error) => {
      if (!(error instanceof WaitError)) throw error;
      hangingUntil.set(page, performance.now() + hangMs);
      throw hangs();
    });
    if (pressing.has(input.action) || input.action === 'key') fields.touched();
  }

  async function useField(id: string, use: FieldUse): Promise<void> {
    if (dialog()) throw dialogOpen();
    const page = pages.current();
    await untilDialog(dialog, within(uncut(fieldMs), useAndClose(page, id, use)));
  }

  async function useAndClose(page: Page, id: string, use: FieldUse): Promise<void> {
    const isOpen = await fields.use(page, id, use, uncut(fieldMs));
    // What is open takes the key, and the page does not hear of it.
    if (isOpen && !dialog()) {
      const closed = Promise.all(pressKey(await pages.cdp(page), keyNamed('Escape', []), []));
      // A list in a frame may be gone before the browser says that it took the key.
      await bestEffort('close a list', within(uncut(closeMs), closed));
    }
    fields.touched();
  }

  return async (input: Input, signal: AbortSignal): Promise<void> => {
    if (!isHeld()) throw noLease();
    onTouch(input);
    switch (input.action) {
      case 'answer_dialog':
        return answerDialog(dialog, input);
      case 'choose_files':
        return choosers.choose(pages.current(), input, fileCalled);
      case 'choose_option':
        return useField(input.select_id, { option: input.option });
      case 'set_value':
        return useField(input.picker_id, { value: input.value });
      case 'focus':
      case 'new_page':
      case 'new_private_page':
      case 'close_page':
        return navigate(input, signal);
      case 'navigate':
      case 'back':
      case 'forward':
      case 'reload':
        if (dialog()) throw dialogOpen();
        return untilDialog(dialog, navigate(input, signal));
      default:
        return useDevice(input, signal);
    }
  };
}

const hasCrashed = () => new StepFailure('crashed', 'the page has crashed: load it again');
const hangs = () => new StepFailure('timeout', 'the page does not answer');
