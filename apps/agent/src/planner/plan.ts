// The plan of a task to which a person wants to agree before a model acts: asks the model for it, and then the person. From
// rows alone, so that any agent goes on with it. Never touches a browser.

import type { PlanItem } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import { answersOf, type ModelCallRow, type ModelLimits, type Store } from '@pilothouse/store';
import type { Ledger } from '../ledger/ledger.ts';
import { type Next, TaskNotHeld, type TaskTurn } from '../ledger/turn.ts';
import type { ModelAnswer } from '../model/types.ts';
import { createAsk } from './ask.ts';
import { budgetOf } from './budget.ts';
import { createDayBudget } from './day-budget.ts';
import { insist } from './insist.ts';
import type { Mind } from './mind.ts';
import { chooseModel } from './model-choice.ts';
import { planRequestOf } from './plan-request.ts';
import { planIn } from './plan-tool.ts';
import { createWithoutModel } from './without-model.ts';

type Options = {
  store: Store;
  ledger: Ledger;
  mind: Mind;
  log: Log;
  modelLimits?: ModelLimits;
  giveUp(turn: TaskTurn, reason: string): Promise<Next>;
};
type Proposal = { call: ModelCallRow; answer: ModelAnswer; takesWords: boolean };

/** The first plan, and one for each time that a person says what to change. */
const maxPlans = 4;
const maxUnusable = 3;
/** The failure of a call whose answer was no plan. */
const unusable = 'unusable';

/** The task waits for a yes to its plan. */
const isWanted = ({ task, settings }: TaskTurn): boolean => settings.confirm === 'plan' && task.plan_agreed_at === null;

export function createPlanFirst(options: Options) {
  const { store, mind, giveUp } = options;
  const ask = createAsk(options);
  const propose = createPropose(options);
  const dayOf = createDayBudget(options);
  const withoutModel = createWithoutModel(options);

  /** Undefined where no plan is wanted, or a person has agreed to it. */
  return async function planFirst(turn: TaskTurn): Promise<Next | undefined> {
    if (!isWanted(turn)) return undefined;
    const { task, settings, attemptsOfTask, leftMs } = turn;
    const away = await withoutModel(turn);
    if (away) return away;
    const [calls, messages, files] = await Promise.all([
      store.modelCalls.of(task.id),
      store.taskMessages.of(task.id),
      store.files.listOf(task.id),
    ]);
    const last = calls.at(-1);
    if (calls.length >= maxUnusable && calls.slice(-maxUnusable).every(({ failure }) => failure === unusable))
      return giveUp(turn, `The model gave ${maxUnusable} plans in a row that cannot be used. The last: ${last?.error}`);
    const choice = chooseModel(calls, mind.models, settings.model);
    if ('end' in choice) return giveUp(turn, choice.end);
    if (choice.waitMs > 0) return { waitMs: choice.waitMs };
    const startedOn = task.created_at.toISOString().slice(0, 10);
    const request = planRequestOf({
      model: choice.model,
      cacheKey: task.id,
      task: { prompt: task.prompt, settings, files: files.map(({ name }) => name), startedOn, planItems: null },
      answers: answersOf(task),
      messages,
      problem: last?.failure === unusable ? (last.error ?? undefined) : undefined,
    });
    const estimatedTokens = mind.estimate(request);
    const day = await dayOf(task);
    const budget = budgetOf({ task, settings, calls, attemptsOfTask, leftMs, estimatedTokens, day });
    if (budget.over) return giveUp(turn, budget.over);
    if (budget.isLast) return giveUp(turn, 'The limits of the task leave no call of a model after its plan.');
    const asked = await ask(turn, { request, estimatedTokens, rows: { calls, messages }, purpose: 'plan' });
    if (!asked) return 'again';
    const plans = calls.filter(({ purpose, status }) => purpose === 'plan' && status === 'ok').length + 1;
    return propose(turn, { ...asked, takesWords: plans < maxPlans });
  };
}

/** Writes the plan and the question in one transaction with the end of the call, or why it is no plan. */
function createPropose({ ledger }: Pick<Options, 'ledger'>) {
  return async (turn: TaskTurn, { call, answer, takesWords }: Proposal): Promise<Next> => {
    const { usage, costMicros } = answer;
    const items: PlanItem[] | string = planIn(answer.toolCalls);
    if (typeof items === 'string') {
      await ledger.endCall(turn, call, { status: 'failed', failure: unusable, error: items, usage, costMicros });
      return 'again';
    }
    const used = { status: 'ok', usage, costMicros } as const;
    await insist(() => ledger.proposePlan(turn, call, used, { items, takesWords }), turn.signal).catch(
      async (error: unknown) => {
        // A person or another agent took the task while the model answered.
        if (error instanceof TaskNotHeld) await ledger.endCall(turn, call, { ...used, status: 'aborted' });
        throw error;
      },
    );
    return 'wait';
  };
}
