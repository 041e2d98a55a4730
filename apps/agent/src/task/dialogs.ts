// Dialogs of the page that no step of the plan answers: alerts are closed, questions fail the step.

import type { Dialog } from '@pilothouse/bus';
import { strikeTyped, typedTextsOf } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import type { BrowserHandle } from '../browsers/handle.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Turn } from '../ledger/turn.ts';

/** A page could show alerts without end. */
const maxAlerts = 5;
const answerMs = 5000;

export function createDialogs({ browsers, ledger }: { browsers: Browsers; ledger: Ledger }) {
  return {
    /** Closes alerts, which ask nothing. Returns the dialog that is still open after that. */
    async clear(turn: Turn, handle: BrowserHandle): Promise<Dialog | null> {
      const { session, signal } = turn;
      const hear = async () => withoutTyped(turn, await browsers.dialog(session.id, handle));
      for (let count = 0; count < maxAlerts; count++) {
        const dialog = await hear();
        if (dialog?.kind !== 'alert') return dialog;
        await ledger.note(turn, `The page says: ${dialog.message}`);
        const step = { action: 'answer_dialog', accept: true } as const;
        await browsers.act(session.id, handle, { step, deadlineMs: answerMs, bring: [], signal });
      }
      return hear();
    },

    isAnsweredNext: ({ steps, index }: Turn): boolean => steps[index]?.action === 'answer_dialog',
  };
}
export type Dialogs = ReturnType<typeof createDialogs>;

/** The message is logged, and a page may repeat what was typed into it. */
const withoutTyped = ({ steps }: Turn, dialog: Dialog | null): Dialog | null =>
  dialog && { ...dialog, message: strikeTyped(dialog.message, typedTextsOf(steps)) };

export const unanswered = ({ kind, message }: Dialog): string =>
  `The page asks "${message}" (${kind}), and the next step does not answer it: add an answer_dialog step.`;
