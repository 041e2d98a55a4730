// Opens the page on which the task begins, before its first attempt, if the browser shows no page yet.

import type { Step } from '@pilothouse/contract';
import { withoutCredentials } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Turn } from '../ledger/turn.ts';
import type { Steps } from './steps.ts';

type Options = { browsers: Browsers; ledger: Ledger; steps: Steps };

const openMs = 15_000;

export function createFirstPage({ browsers, ledger, steps }: Options) {
  return {
    /** False where the browser was lost on the way. */
    async open(turn: Turn): Promise<boolean> {
      const { settings, session, attemptsOfTask, step } = turn;
      if (settings.current_url === null || attemptsOfTask > 0 || step.action === 'navigate') return true;
      const handle = await steps.acquire(turn);
      if ((await browsers.look(session.id, handle)).url !== 'about:blank') return true;
      // The note also proves that this run still has the task.
      const address = withoutCredentials(settings.current_url);
      await ledger.note(turn, `Opening ${address}`);
      const there: Step = { action: 'navigate', url: settings.current_url };
      const deadlineMs = Math.max(1, Math.min(openMs, turn.leftMs));
      const outcome = await browsers.act(session.id, handle, {
        step: there,
        deadlineMs,
        bring: [],
        signal: turn.signal,
      });
      if (outcome.type === 'failed')
        await ledger.note(turn, `${address} could not be opened: ${outcome.message}`, 'warn');
      if (outcome.type === 'lost' && !outcome.isKept) steps.markLost(handle);
      return outcome.type !== 'lost';
    },
  };
}
