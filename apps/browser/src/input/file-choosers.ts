// The file choosers that pages open while a person drives: Chromium would refuse each at once, having no window to show
// it in. While no person drives, they are left to Chromium.

import { setTimeout as sleep } from 'node:timers/promises';
import type { FileChooser, Page } from 'playwright-core';
import { within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { Pages } from '../pages/pages.ts';
import { uncut } from './uncut.ts';

/** A page that hangs is not waited for: nothing in it can be pressed either. */
const readyMs = 500;
const chooserMs = 1000;
const pollMs = 10;
const chooseMs = 2000;

export function createFileChoosers(pages: Pick<Pages, 'all' | 'current'>) {
  const open = new Map<Page, FileChooser>();
  let attended: Page[] = [];
  let ready: Promise<void> | undefined;
  const context = () => pages.current().context();
  const onChooser = (chooser: FileChooser) => void open.set(chooser.page(), chooser);
  const onClose = (page: Page) => void open.delete(page);

  function attend(page: Page): void {
    attended.push(page);
    page.on('filechooser', onChooser).on('close', onClose);
  }

  async function begin(): Promise<void> {
    for (const page of pages.all()) attend(page);
    context().on('page', attend);
    // The page is told over a channel of its own, which a press would overtake; what it answers there it answers later.
    await within(uncut(readyMs), pages.current().evaluate('0')).catch(() => undefined);
  }

  /** The chooser of this page, once. */
  function take(page: Page): FileChooser | undefined {
    const chooser = open.get(page);
    open.delete(page);
    return chooser;
  }

  return {
    /** Resolves when no chooser is missed any more. */
    start(): Promise<void> {
      ready ??= begin();
      return ready;
    },
    /** Gives the files of these names to the chooser of the page. */
    async choose(page: Page, names: string[], fileCalled: (name: string) => string | undefined): Promise<void> {
      const paths = names.map((name) => {
        const path = fileCalled(name);
        if (path === undefined) throw new StepFailure('not_found', 'no file was put by this name');
        return path;
      });
      // The click that opens a chooser is done before the chooser is there.
      const late = performance.now() + chooserMs;
      let chooser = take(page);
      while (!chooser && performance.now() < late) {
        await sleep(pollMs);
        chooser = take(page);
      }
      if (!chooser) throw new StepFailure('not_found', 'no file chooser is open');
      // Choosing no file is how a person closes it.
      if (paths.length === 0) return;
      const deadline = uncut(chooseMs);
      await within(deadline, chooser.setFiles(paths, { timeout: deadline.leftMs() }));
    },
    stop(): void {
      if (!ready) return;
      context().off('page', attend);
      for (const page of attended) page.off('filechooser', onChooser).off('close', onClose);
      [attended, ready] = [[], undefined];
      open.clear();
    },
  };
}
