// The file choosers that pages open while a person drives: Chromium would refuse each at once, having no window to show
// it in. While no person drives, they are left to Chromium.

import { setTimeout as sleep } from 'node:timers/promises';
import type { FileChooser } from '@pilothouse/contract';
import type { Frame, Page, FileChooser as PageChooser } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { Pages } from '../pages/pages.ts';
import { createPromptIds } from '../prompts/prompt-ids.ts';
import { uncut } from './uncut.ts';

/** A page that hangs is not waited for: nothing in it can be pressed either. */
const readyMs = 500;
const chooserMs = 1000;
const pollMs = 10;
const chooseMs = 2000;
const acceptMs = 500;
const maxAccepted = 20;
const maxAcceptChars = 100;

type OpenChooser = { chooser: PageChooser; shown: FileChooser };

/** `onChange`: a chooser was opened or closed. */
export function createFileChoosers(pages: Pick<Pages, 'all' | 'current' | 'onOpened'>, onChange: () => void) {
  const open = new Map<Page, OpenChooser>();
  const newPromptId = createPromptIds('c');
  let attended: Page[] = [];
  let ready: Promise<void> | undefined;
  let unfollow = () => {};
  const forget = (page: Page) => open.delete(page) && onChange();
  const onNavigated = (frame: Frame) => frame === frame.page().mainFrame() && forget(frame.page());

  function onChooser(chooser: PageChooser): void {
    const shown: FileChooser = { chooser_id: newPromptId(), multiple: chooser.isMultiple(), accept: [] };
    open.set(chooser.page(), { chooser, shown });
    onChange();
    void readAccept(chooser).then((accept) => {
      if (accept.length === 0) return;
      shown.accept = accept;
      onChange();
    });
  }

  function attend(page: Page): void {
    attended.push(page);
    page.on('filechooser', onChooser).on('close', forget).on('framenavigated', onNavigated);
  }

  async function begin(): Promise<void> {
    for (const page of pages.all()) attend(page);
    unfollow = pages.onOpened(attend);
    // The page is told over a channel of its own, which a press would overtake; what it answers there it answers later.
    await within(uncut(readyMs), pages.current().evaluate('0')).catch(() => undefined);
  }

  /** The click that opens a chooser is done before the chooser is there. */
  async function chooserOf(page: Page): Promise<OpenChooser> {
    const late = performance.now() + chooserMs;
    while (!open.has(page) && performance.now() < late) await sleep(pollMs);
    const chooser = open.get(page);
    if (!chooser) throw noChooser();
    return chooser;
  }

  return {
    /** Resolves when no chooser is missed any more. */
    start(): Promise<void> {
      ready ??= begin();
      return ready;
    },
    shown: (page: Page): FileChooser | null => open.get(page)?.shown ?? null,
    /** Gives the files of these names to the chooser of the page, which is the one of this id where there is an id. */
    async choose(page: Page, { files: names, chooser_id }: Choice, fileCalled: FileCalled): Promise<void> {
      const paths = names.map((name) => {
        const path = fileCalled(name);
        if (path === undefined) throw new StepFailure('not_found', 'no file was put by this name');
        return path;
      });
      const { chooser, shown } = await chooserOf(page);
      if (chooser_id !== undefined && chooser_id !== shown.chooser_id) throw noChooser();
      if (paths.length > 1 && !shown.multiple) throw new StepFailure('unsupported', 'only one file can be chosen here');
      forget(page);
      // Choosing no file is how a person closes it.
      if (paths.length === 0) return;
      const deadline = uncut(chooseMs);
      await within(deadline, chooser.setFiles(paths, { timeout: deadline.leftMs() }));
    },
    stop(): void {
      if (!ready) return;
      unfollow();
      for (const page of attended)
        page.off('filechooser', onChooser).off('close', forget).off('framenavigated', onNavigated);
      [attended, ready] = [[], undefined];
      open.clear();
      onChange();
    },
  };
}

type Choice = { files: string[]; chooser_id?: string | undefined };
type FileCalled = (name: string) => string | undefined;

/** Written by the page. */
async function readAccept(chooser: PageChooser): Promise<string[]> {
  const read = within(uncut(acceptMs), chooser.element().getAttribute('accept'));
  const accept = (await bestEffort('read which files a page takes', read)) ?? '';
  return accept
    .slice(0, maxAccepted * maxAcceptChars)
    .split(',')
    .map((one) => one.trim().slice(0, maxAcceptChars).toWellFormed())
    .filter(Boolean)
    .slice(0, maxAccepted);
}

const noChooser = () => new StepFailure('not_found', 'no such file chooser is open');
