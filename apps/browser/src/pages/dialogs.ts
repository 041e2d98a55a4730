// Questions of a page to its reader. An open one holds up the page: no picture, no script, no end of a click. So it is
// known out of band, and nothing waits for a page that waits for an answer.

import type { Dialog } from '@pilothouse/bus';
import type { Page, Dialog as PageDialog } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';

const maxTextChars = 2000;

export type Dialogs = {
  follow(page: Page): void;
  of(page: Page): Dialog | null;
  /** Answers what the page asks; false where it asks nothing. */
  answer(page: Page, accept: boolean, text?: string): Promise<boolean>;
  /** Until the returned function is called, a page that asks whether to leave it is left. */
  leaveFreely(): () => void;
  /** Aborted as soon as the page asks something. */
  asking(page: Page): { signal: AbortSignal; close(): void };
};

export function createDialogs(onChange: (page: Page, dialog: Dialog | null) => void): Dialogs {
  const open = new WeakMap<Page, { asked: PageDialog; seen: Dialog }>();
  const waiting = new Map<AbortController, Page>();
  let leaving = 0;

  function opened(page: Page, asked: PageDialog): void {
    const seen = read(asked);
    if (seen.kind === 'beforeunload' && leaving > 0) return void bestEffort('leave a page', asked.accept());
    open.set(page, { asked, seen });
    onChange(page, seen);
    for (const [waiter, of] of waiting) if (of === page) waiter.abort();
  }

  return {
    follow: (page) => {
      page.on('dialog', (asked) => opened(page, asked));
      page.once('close', () => open.delete(page) && onChange(page, null));
    },
    of: (page) => open.get(page)?.seen ?? null,
    async answer(page, accept, text) {
      const dialog = open.get(page);
      if (!dialog) return false;
      // Forgotten first: answering may bring up the next one before it returns.
      open.delete(page);
      onChange(page, null);
      const { asked } = dialog;
      await (accept ? asked.accept(asked.type() === 'prompt' ? text : undefined) : asked.dismiss());
      return true;
    },
    leaveFreely() {
      leaving += 1;
      return () => {
        leaving -= 1;
      };
    },
    asking(page) {
      const waiter = new AbortController();
      waiting.set(waiter, page);
      return { signal: waiter.signal, close: () => void waiting.delete(waiter) };
    },
  };
}

function read(dialog: PageDialog): Dialog {
  return {
    // The library has the same four words.
    kind: dialog.type() as Dialog['kind'],
    message: dialog.message().slice(0, maxTextChars).toWellFormed(),
    default_value: dialog.defaultValue().slice(0, maxTextChars).toWellFormed(),
  };
}
