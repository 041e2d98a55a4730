// What follows an attempt that failed, or whose browser was lost: another attempt, or the end of the task.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@pilothouse/process';
import { type StepRow, strikeTyped, typedTextsOf } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import type { BrowserHandle } from '../browsers/handle.ts';
import type { Outcome } from '../browsers/outcome.ts';
import { policyOf } from '../ledger/approvals.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Next, TaskNotHeld, type TaskTurn, type Turn } from '../ledger/turn.ts';
import { afterDecidedFailure, afterFailure } from '../policy/retries.ts';
import type { Approvals } from './approvals.ts';
import type { BrowserAccess } from './browser-access.ts';
import { type Dialogs, unanswered } from './dialogs.ts';

type Options = {
  browsers: Browsers;
  ledger: Ledger;
  access: BrowserAccess;
  dialogs: Dialogs;
  approvals: Approvals;
  log: Log;
};
type FailedOutcome = Extract<Outcome, { type: 'failed' }>;
type LostOutcome = Extract<Outcome, { type: 'lost' }>;

const askAgainMs = 300;

export function createFailedStep({ browsers, ledger, access, dialogs, approvals, log }: Options) {
  async function giveUp({ task, executionId }: TaskTurn, reason: string): Promise<Next> {
    const held = { id: task.id, sessionId: task.session_id, executionId };
    if (!(await ledger.endTask({ ...held, isAtWork: true }, { move: 'fail', reason }))) throw new TaskNotHeld();
    return 'done';
  }

  /** A model sees the dialog or the failure with its next look, and decides what follows. */
  async function failedDecided(
    turn: Turn,
    attempt: StepRow,
    { failure, message, hasTouched, verdict }: FailedOutcome,
  ): Promise<Next> {
    const error = strikeTyped(message, typedTextsOf(turn.steps));
    const next = afterDecidedFailure(turn, { failure, error, hasTouched });
    const effect = { status: 'failed', error, mayHaveActed: hasTouched, ...judged(verdict) } as const;
    await ledger.fail(turn, attempt, effect, 'cut' in next ? next.cut : undefined);
    if ('pauseMs' in next) await sleep(next.pauseMs, undefined, { signal: turn.signal });
    return 'again';
  }

  return {
    giveUp,

    async failed(known: Turn, handle: BrowserHandle, attempt: StepRow, outcome: FailedOutcome): Promise<Next> {
      const asked = await approvals.wait(known, attempt, outcome);
      if (asked) return asked;
      // With this attempt: what a person had to agree to is not repeated.
      const turn = { ...known, attempts: [...known.attempts.filter((one) => one.try !== attempt.try), attempt] };
      const { failure, message, hasTouched, verdict } = outcome;
      const { step, steps, signal } = turn;
      if (turn.decision) return failedDecided(turn, attempt, outcome);
      const dialog = failure === 'dialog_open' ? await dialogs.clear(turn, handle) : null;
      if (dialog && step.action === 'wait' && dialogs.isAnsweredNext(turn)) {
        await ledger.succeedWithoutBrowser(turn, attempt, `The page asks: ${dialog.message}`);
        return 'again';
      }
      // Pages choose parts of the message, and it is shown in logs and lists.
      const error = dialog ? unanswered(dialog) : strikeTyped(message, typedTextsOf(steps));
      await ledger.fail(turn, attempt, { status: 'failed', error, mayHaveActed: hasTouched, ...judged(verdict) });
      const next = afterFailure(turn, { failure, error, hasTouched, isUnanswered: dialog !== null });
      if ('giveUp' in next) return giveUp(turn, next.giveUp);
      await sleep(next.pauseMs, undefined, { signal });
      return 'again';
    },

    /** The browser is gone, another driver has it, or the answer of the host was lost. */
    async browserLost(
      turn: Turn,
      handle: BrowserHandle,
      attempt: StepRow,
      { reason, mayHaveActed, isUnheard, isKept = false }: LostOutcome,
    ): Promise<Next> {
      const { session, signal, task } = turn;
      if (signal.aborted) {
        await browsers.tellNewDriver(session.id, handle);
        throw new TaskNotHeld();
      }
      const isThere = (isUnheard || isKept) && (await browsers.holds(session.id, handle));
      if (isUnheard && isThere) {
        // Only the answer was lost, or the host has no lease now: the next tick sends the same command id, and the host does nothing twice.
        await sleep(askAgainMs, undefined, { signal });
        return 'again';
      }
      log.warn(
        { task_id: task.id, host_id: handle.hostId, reason },
        isThere ? 'a step was cut' : 'the browser was lost',
      );
      if (!isThere) access.markLost(handle);
      const error = isThere ? `It was cut (${reason}).` : `The browser was lost (${reason}).`;
      await ledger.fail(turn, attempt, { status: 'interrupted', error, mayHaveActed });
      return 'again';
    },
  };
}
const judged = (verdict: FailedOutcome['verdict']) => verdict && { policy: policyOf({ ...verdict, outcome: 'deny' }) };

export type FailedStep = ReturnType<typeof createFailedStep>;
