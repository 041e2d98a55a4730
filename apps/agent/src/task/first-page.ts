// Opens the page on which the task begins, before its first step, if the browser shows no page yet. A browser that is lost
// on the way is an interrupted attempt of the first step, so the limits of a step hold here too.

import { Plan, type Step } from '@pilothouse/contract';
import { withoutCredentials } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import type { BrowserHandle } from '../browsers/handle.ts';
import type { Outcome } from '../browsers/outcome.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type Next, TaskNotHeld, type TaskTurn, type Turn } from '../ledger/turn.ts';
import { refusalOf } from '../policy/retries.ts';
import type { Steps } from './steps.ts';

type Options = { browsers: Browsers; ledger: Ledger; steps: Steps };
type LostOutcome = Extract<Outcome, { type: 'lost' }>;

const openMs = 15_000;

export function createFirstPage({ browsers, ledger, steps }: Options) {
  async function lost(turn: Turn, handle: BrowserHandle, address: string, outcome: LostOutcome): Promise<Next> {
    const { session, signal } = turn;
    if (signal.aborted) {
      await browsers.tellNewDriver(session.id, handle);
      throw new TaskNotHeld();
    }
    const isKept = (outcome.isUnheard || outcome.isKept === true) && (await browsers.holds(session.id, handle));
    if (!isKept) steps.markLost(handle);
    const what = isKept ? 'The answer of the browser' : 'The browser';
    await ledger.interruptBefore(turn, handle, `${what} was lost (${outcome.reason}) while ${address} was opened.`);
    return 'again';
  }

  return {
    /** Undefined where the first step comes next. */
    async open(known: TaskTurn | Turn): Promise<Next | undefined> {
      const turn = 'step' in known ? known : beforeDecision(known);
      const { settings, session } = turn;
      if (settings.current_url === null || !isBeforeFirstStep(turn)) return undefined;
      const reason = refusalOf(turn);
      if (reason) return steps.giveUp(turn, reason);
      const handle = await steps.acquire(turn);
      if ((await browsers.look(session.id, handle)).url !== 'about:blank') return undefined;
      // The note also proves that this run still has the task.
      const address = withoutCredentials(settings.current_url);
      await ledger.note(turn, `Opening ${address}`);
      const there: Step = { action: 'navigate', url: settings.current_url };
      const deadlineMs = Math.max(1, Math.min(openMs, turn.leftMs));
      const outcome = await browsers.act(session.id, handle, {
        step: there,
        gate: steps.gates.ofFirstPage(turn),
        deadlineMs,
        bring: [],
        signal: turn.signal,
      });
      if (outcome.type === 'lost') return lost(turn, handle, address, outcome);
      if (outcome.type === 'failed')
        await ledger.note(turn, `${address} could not be opened: ${outcome.message}`, 'warn');
      return undefined;
    },
  };
}

/** A task whose first step is not decided yet. */
const beforeDecision = (known: TaskTurn): Turn => {
  const { steps } = Plan.parse(known.task.plan);
  const step: Step = { action: 'screenshot', title: 'Open the first page' };
  return { ...known, steps, index: steps.length + 1, step, attempts: [] };
};

/** No attempt has done anything yet, and the first step does not choose a page of its own. */
const isBeforeFirstStep = ({ index, step, attempts }: Turn): boolean =>
  index === 1 &&
  step.action !== 'navigate' &&
  attempts.every(({ status, may_have_acted }) => status === 'interrupted' && !may_have_acted);
