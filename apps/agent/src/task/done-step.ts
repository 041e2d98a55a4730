// After an attempt that the host has done: fetches its file, and writes its effect and evidence.

import { span } from '@pilothouse/process';
import type { StepRow } from '@pilothouse/store';
import type { BrowserHandle } from '../browsers/handle.ts';
import type { Outcome } from '../browsers/outcome.ts';
import { FileQuotaExceeded } from '../ledger/evidence.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Next, Turn } from '../ledger/turn.ts';
import type { Dialogs } from './dialogs.ts';
import type { FailedStep } from './failed-step.ts';
import type { Files } from './files.ts';

type Options = { ledger: Ledger; files: Files; dialogs: Dialogs; failed: FailedStep['failed'] };
type ActedOutcome = Extract<Outcome, { type: 'acted' }>;

export function createDoneStep({ ledger, files, dialogs, failed }: Options) {
  async function write(
    turn: Turn,
    handle: BrowserHandle,
    attempt: StepRow,
    { acted, image }: ActedOutcome,
  ): Promise<Next> {
    const { task, signal } = turn;
    const file = acted.file ? await files.fetch({ task, handle, signal }, acted.file) : null;
    if (acted.file && !file) {
      const error = 'The file was downloaded, and then could not be fetched from the browser.';
      return failed(turn, handle, attempt, { type: 'failed', failure: 'timeout', message: error, hasTouched: true });
    }
    // The attempt may have begun under an older epoch than the present one.
    await span('ledger.write', { kind: 'success' }, () =>
      ledger.succeed(turn, { ...attempt, epoch: handle.epoch }, { acted, image, file, cut: changeIn(acted) }),
    );
    // A model answers dialogs by itself.
    if (!turn.decision && acted.dialog?.kind === 'alert' && !dialogs.isAnsweredNext(turn))
      await dialogs.clear(turn, handle);
    return 'again';
  }

  return {
    /** A file beyond the user's quota fails the step: another attempt would not help. */
    async done(turn: Turn, handle: BrowserHandle, attempt: StepRow, outcome: ActedOutcome): Promise<Next> {
      try {
        return await write(turn, handle, attempt, outcome);
      } catch (error) {
        if (!(error instanceof FileQuotaExceeded)) throw error;
        const { message } = error;
        return failed(turn, handle, attempt, { type: 'failed', failure: 'too_large', message, hasTouched: true });
      }
    },
  };
}
/** Why the rest of a decision must not run: the model has not seen the page that is there now. */
function changeIn({ before, after, dialog }: ActedOutcome['acted']): string | undefined {
  if (dialog) return 'The page opened a dialog.';
  const pathOf = (url: string) => url.replace(/[?#].*$/s, '');
  return pathOf(before.url) === pathOf(after.url) ? undefined : 'The page changed.';
}

export type DoneStep = ReturnType<typeof createDoneStep>;
