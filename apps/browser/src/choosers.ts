import type { FileChooser, Page } from 'playwright-core';
import { startDeadline, within } from './deadline.ts';
import type { Pages } from './pages.ts';

/** A page that hangs is not waited for: nobody can press anything in it either. */
const READY_MS = 500;

/**
 * The file choosers that pages open while a person drives: Chromium would refuse each at once, having no window to show
 * it in. While nobody drives they are left to it.
 */
export function createChoosers(pages: Pick<Pages, 'all' | 'current'>) {
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
    // The page is told on a way of its own, which a press would overtake; what it answers there it answers after that.
    const soon = startDeadline(READY_MS, new AbortController().signal);
    await within(soon, pages.current().evaluate('0')).catch(() => undefined);
  }

  return {
    /** Resolves when no chooser is missed any more. */
    start(): Promise<void> {
      ready ??= begin();
      return ready;
    },
    /** The chooser of this page, which is then nobody else's. */
    take(page: Page): FileChooser | undefined {
      const chooser = open.get(page);
      open.delete(page);
      return chooser;
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
