// Dialogs while a person drives: each has an id, so that an answer reaches the one that was meant, and a deadline, after
// which it is dismissed. Those that opened while a person drove are dismissed when that person drives no longer.

import type { Dialog } from '@pilothouse/bus';
import type { PageDialog } from '@pilothouse/contract';
import type { Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { startDeadline, within } from '../common/deadline.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import { createPromptIds } from './prompt-ids.ts';

const defaultAnswerMs = 120_000;
/** A page that does not take its answer must not hold up the next driver. */
const dismissMs = 300;

export type DriverDialogs = {
  /** A dialog of the page opened, or (null) closed. */
  changed(page: Page, dialog: Dialog | null): void;
  /** Null where the page has none, or no person drives. */
  shown(page: Page): PageDialog | null;
  idOf(page: Page): string | undefined;
  /** A person begins to drive: what is open already gets a deadline. */
  begin(): void;
  /** No person drives: what opened meanwhile is the agent's, and has no deadline. */
  pause(): void;
  /** Ends the dialogs of the person who drove. Never takes long. */
  end(): Promise<void>;
};

type Options = {
  dialogs: Pick<Dialogs, 'of' | 'answer'>;
  isDriven: () => boolean;
  onChange: () => void;
  answerMs?: number | undefined;
};
type Known = { id: string; isOfPerson: boolean; expiresAt?: number; timer?: NodeJS.Timeout };

export function createDriverDialogs(options: Options): DriverDialogs {
  const { dialogs, isDriven, onChange, answerMs = defaultAnswerMs } = options;
  const open = new Map<Page, Known>();
  const newPromptId = createPromptIds('d');

  const dismiss = (page: Page) => bestEffort('dismiss a dialog', dialogs.answer(page, false));

  function arm(page: Page, known: Known): void {
    if (known.timer) return;
    known.expiresAt = Date.now() + answerMs;
    known.timer = setTimeout(() => open.get(page) === known && void dismiss(page), answerMs).unref();
  }

  function forget(page: Page): void {
    clearTimeout(open.get(page)?.timer);
    open.delete(page);
  }

  function disarm(): void {
    for (const known of open.values()) {
      clearTimeout(known.timer);
      delete known.timer;
      delete known.expiresAt;
    }
    onChange();
  }

  return {
    changed(page, dialog) {
      forget(page);
      if (dialog) {
        const known = { id: newPromptId(), isOfPerson: isDriven() };
        open.set(page, known);
        if (isDriven()) arm(page, known);
      }
      onChange();
    },
    shown(page) {
      const known = open.get(page);
      const dialog = dialogs.of(page);
      if (!known?.expiresAt || !dialog) return null;
      return { dialog_id: known.id, ...dialog, expires_at: new Date(known.expiresAt).toISOString() };
    },
    idOf: (page) => open.get(page)?.id,
    begin() {
      for (const [page, known] of open) arm(page, known);
    },
    pause: disarm,
    async end() {
      const left = [...open].filter(([, { isOfPerson }]) => isOfPerson).map(([page]) => page);
      disarm();
      const soon = startDeadline(dismissMs, new AbortController().signal);
      await bestEffort('dismiss the dialogs of a person', within(soon, Promise.all(left.map(dismiss))));
    },
  };
}
