// An attempt that an earlier run left open under another epoch. It is never repeated here: only its result is found out.

import type { StepRow } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import type { BrowserHandle } from '../browsers/handle.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Next, Turn } from '../ledger/turn.ts';
import type { DoneStep } from './done-step.ts';
import type { FailedStep } from './failed-step.ts';

type Options = { browsers: Browsers; ledger: Ledger; done: DoneStep['done']; failed: FailedStep['failed'] };

export function createOpenAttempt({ browsers, ledger, done, failed }: Options) {
  return {
    /** Asks the host that has the browser now for the result. */
    async settle(turn: Turn, handle: BrowserHandle, open: StepRow): Promise<Next> {
      const { session } = turn;
      // First the host may finish the command; then it hears of the new driver, and refuses the old one from there on.
      const ended = await browsers.answerOf(session.id, handle, open.command_id);
      const isTaken = await browsers.setDriver(session.id, handle);
      const known = ended ?? (await browsers.answerOf(session.id, handle, open.command_id));
      if (known?.type === 'acted') {
        // The state in that result is old, and a person may have driven since: the host is asked for the present state.
        const state = await browsers.stateOf(session.id, handle, turn.signal);
        return done(turn, handle, open, { ...known, acted: { ...known.acted, state } });
      }
      if (known?.type === 'failed') return failed(turn, handle, open, known);
      // The same browser is still open and never got the command, and cannot get it any more.
      const isUnheard = !known && isTaken && open.epoch >= handle.openedEpoch;
      const unknown = isUnheard
        ? 'The agent was lost before it was done.'
        : 'The browser was lost while this was done.';
      const error = known ? `The host stopped it (${known.reason}).` : unknown;
      const mayHaveActed = known?.mayHaveActed ?? !isUnheard;
      await ledger.fail(turn, open, { status: 'interrupted', error, mayHaveActed });
      return 'again';
    },
  };
}
