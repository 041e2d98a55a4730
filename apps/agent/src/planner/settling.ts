// Whether a finish is accepted now: the page has to be at rest and still be what the model saw, and a form that was just sent gets a
// second look before the task counts as impossible. Computed from rows, so a restart forgets nothing. Never acts on the page.

import { setTimeout as sleep } from 'node:timers/promises';
import type { DecisionRow, ModelLimits, Store } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import { TaskNotHeld, type TaskTurn } from '../ledger/turn.ts';
import { StoredActions } from './actions.ts';
import { budgetOf } from './budget.ts';
import { createDayBudget } from './day-budget.ts';
import type { TaskRows } from './task-rows.ts';
import type { ToolInput } from './tools.ts';

type Options = { store: Store; browsers: Browsers; settleMs?: number; modelLimits?: ModelLimits };
type Finishing = { decision: DecisionRow; finish: ToolInput<'finish'>; rows: TaskRows };

/** Two equal looks this far apart: the page is at rest. */
const usualSettleMs = 700;
/** How often it is waited for a page that does not come to rest, and how often a model is asked again. */
const maxDeferrals = 2;
/** The page has shown the result of a submit that is further back. */
const submitDecisions = 5;
const seeMs = 5000;

const changed = 'Not finished: the page changed after you saw it';
const submitted = 'Not finished: a form was sent shortly before';
const lookAgain = 'Look at it once more, and finish again if that is still right.';

/** A finish that was put off is no mistake of the model. */
export const isDeferral = (refused: string | undefined): boolean =>
  refused?.startsWith(changed) === true || refused?.startsWith(submitted) === true;

export function createSettling({ store, browsers, settleMs = usualSettleMs, modelLimits }: Options) {
  const dayOf = createDayBudget({ store, modelLimits });

  /** The page as it is now; undefined where no browser shows it, or it cannot be read. */
  async function fingerprint({ session, signal }: TaskTurn): Promise<string | undefined> {
    const browser = await store.browsers.of(session.id);
    if (!browser?.is_live || !browser.host_id) return undefined;
    const seen = await browsers.see(session.id, { hostId: browser.host_id }, { timeoutMs: seeMs, signal });
    if (signal.aborted) throw new TaskNotHeld();
    return seen.type === 'done' && seen.reply.view.shape_hash !== '' ? seen.reply.view.shape_hash : undefined;
  }

  /** Whether the page has come to rest as something else than the model saw. One that never rests is taken as it is. */
  async function hasChanged(turn: TaskTurn, saw: string, ageMs: number): Promise<boolean> {
    await sleep(Math.max(0, settleMs - ageMs), undefined, { signal: turn.signal });
    let last = await fingerprint(turn);
    for (let deferrals = 0; last !== undefined && last !== saw; deferrals += 1) {
      if (deferrals === maxDeferrals) return false;
      await sleep(settleMs, undefined, { signal: turn.signal });
      const next = await fingerprint(turn);
      if (next === last) return true;
      last = next;
    }
    return false;
  }

  /** A finish is not put off where the budget has no room for another one. */
  async function allowsCall(turn: TaskTurn, { calls }: TaskRows, estimatedTokens: number): Promise<boolean> {
    const { task, settings, attemptsOfTask, leftMs } = turn;
    const day = await dayOf(task);
    const budget = budgetOf({ task, settings, calls, attemptsOfTask, leftMs, estimatedTokens, day });
    return budget.over === undefined && !budget.isLast;
  }

  /** Why the model has to look again; undefined where the finish is accepted. */
  return async function deferralOf(turn: TaskTurn, finishing: Finishing): Promise<string | undefined> {
    const { decision, finish, rows } = finishing;
    const call = rows.calls.find(({ number }) => number === decision.call_number);
    if (!call || !(await allowsCall(turn, rows, call.estimated_tokens))) return undefined;
    if (finish.state === 'impossible') {
      const isDue = countRefused(rows, submitted) === 0 && hasSubmitted(rows, decision);
      return isDue ? `${submitted}. ${lookAgain}` : undefined;
    }
    if (finish.state !== 'done' || !decision.view_hash || countRefused(rows, changed) >= maxDeferrals) return undefined;
    if (wasAtRest(turn, finishing, call.begun_at.getTime() - settleMs)) return undefined;
    return (await hasChanged(turn, decision.view_hash, call.age_ms)) ? `${changed}. ${lookAgain}` : undefined;
  };
}

/** The last step changed nothing, and had ended by this time: the looks before and after it are the two that are needed. */
function wasAtRest({ settings }: TaskTurn, { decision, rows }: Finishing, byTime: number): boolean {
  const last = rows.attempts.at(-1);
  if (!last) return settings.current_url === null;
  const decided = rows.decisions.find(
    ({ first_step, last_step }) => first_step <= last.index && last.index <= last_step,
  );
  return decided?.view_hash === decision.view_hash && last.effect_at !== null && last.effect_at.getTime() <= byTime;
}

const countRefused = ({ decisions }: TaskRows, why: string): number =>
  decisions.filter(({ actions }) => StoredActions.parse(actions).calls.some(({ refused }) => refused?.startsWith(why)))
    .length;

/** One of the last decisions sent a form, and that was done. */
const hasSubmitted = ({ decisions, attempts }: TaskRows, { number }: DecisionRow): boolean =>
  decisions.some(
    (one) =>
      one.number < number &&
      number - one.number <= submitDecisions &&
      StoredActions.parse(one.actions).calls.some(
        ({ submits, steps: [first, count] = [0, 0] }) =>
          submits &&
          attempts.some(({ index, status }) => index === one.first_step + first + count - 1 && status === 'success'),
      ),
  );

/** The actions of the decision, with the finish put off. */
export function withDeferral({ actions }: DecisionRow, reason: string): StoredActions {
  const { calls, ...rest } = StoredActions.parse(actions);
  return {
    ...rest,
    calls: calls.map((call) => (call.name === 'finish' && !call.refused ? { ...call, refused: reason } : call)),
  };
}
