// Runs a task in this process. A tick reads the ledger, decides, acts and records; it keeps nothing in memory that another
// agent would need.

import { isTerminal, Plan, type Policy } from '@pilothouse/contract';
import { type Log, span } from '@pilothouse/process';
import type { ClaimedRun, ModelLimits, Store, TaskRow } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import { NoBrowserYet } from '../browsers/task-wait.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { resultOf } from '../ledger/result.ts';
import { FieldsLost, type Next, TaskNotHeld, type TaskTurn, type Turn } from '../ledger/turn.ts';
import { createDecide } from '../planner/decide.ts';
import type { Mind } from '../planner/mind.ts';
import { createPlanFirst } from '../planner/plan.ts';
import { createClaim } from './claim.ts';
import { createFailedTick } from './failed-tick.ts';
import type { Files } from './files.ts';
import { createFirstPage } from './first-page.ts';
import { createNextTurn, hasStep, isOpenPlan } from './next-turn.ts';
import { createSteps } from './steps.ts';
import { createTakeover } from './takeover.ts';
import { createWaits } from './waits.ts';

export type Run = { tick(): Promise<Next> };

type Options = {
  store: Store;
  browsers: Browsers;
  ledger: Ledger;
  files: Files;
  mind: Mind;
  agentId: string;
  log: Log;
  signal: AbortSignal;
  /** What the installation demands of every task. */
  installation?: Policy;
  /** How far apart two looks at a page at rest are. */
  settleMs?: number;
  /** What models may use for one person in a day. */
  modelLimits?: ModelLimits;
  /** Which model judges finished tasks; that of the task by default. */
  judgeModel?: string;
};

/** A task that waits for a browser is due when its turn comes, and looks by itself only if nothing made it due. */
const browserWaitMs = 300_000;

const emptyPlan = 'The plan has no steps, and no model is there to plan any: send the steps, or write a script.';

export function createRun(options: Options, claimed: ClaimedRun): Run {
  const { store, ledger, signal } = options;
  const taskId = claimed.id;
  const steps = createSteps(options);
  const waiting = createWaits({ ...options, steps });
  const takeover = createTakeover({ ...options, steps });
  const firstPage = createFirstPage({ ...options, steps });
  const decide = createDecide({ ...options, ...steps });
  const planFirst = createPlanFirst({ ...options, giveUp: steps.giveUp });
  const nextTurn = createNextTurn(options);
  const claim = createClaim(options, claimed);
  const afterError = createFailedTick({ ...options, claim }, taskId);

  async function finish(task: TaskRow, executionId: string): Promise<Next> {
    const { steps: plan } = Plan.parse(task.plan);
    // A plan without steps is not a success.
    const end =
      plan.length === 0
        ? ({ move: 'fail', reason: emptyPlan } as const)
        : ({ move: 'finish', result: await resultOf(store, task, plan) } as const);
    const held = { id: taskId, sessionId: task.session_id, executionId, isAtWork: true };
    // A person may have taken over in this moment: then the task ends when they hand it back.
    if (!(await ledger.endTask(held, end))) throw new TaskNotHeld();
    return 'done';
  }

  async function act(turn: TaskTurn | Turn): Promise<Next> {
    const planned = await planFirst(turn);
    if (planned) return planned;
    const onFirstPage = await firstPage.open(turn);
    if (onFirstPage) return onFirstPage;
    if (!hasStep(turn)) return span('task.decide', { task_id: taskId }, () => decide(turn));
    const { step } = turn;
    if (step.action === 'ask') return waiting.ask(turn, step);
    if (step.action === 'wait') return waiting.wait(turn, step);
    const attempt = turn.attempts.length + 1;
    return span('task.step', { step: turn.index, action: step.action, attempt }, () => steps.run(turn));
  }

  async function tick(): Promise<Next> {
    const task = await store.tasks.atWork(taskId);
    if (!task || isTerminal(task.status)) return 'done';
    const executionId = claim.executionId() ?? (await claim.take(task));
    if (!executionId) return 'done';
    // A person has it. What hands it back makes the task due.
    if (task.status === 'awaiting_user' || task.status === 'takeover') return 'wait';
    const turn = await nextTurn(task, executionId, signal);
    if (!hasStep(turn) && !isOpenPlan(task)) return finish(task, executionId);
    if (turn.leftMs <= 0) return steps.giveUp(turn, `The time limit of ${turn.settings.time_limit_secs} s is over.`);
    // A takeover request aborts a step that only waits, and the call of a model; any other step is finished first.
    const isIdle = (!hasStep(turn) || turn.step.action === 'wait') && !task.has_takeover;
    const watch = ledger.watchTask({ id: taskId, sessionId: task.session_id, executionId, isIdle });
    try {
      const watched = { ...turn, signal: AbortSignal.any([signal, watch.signal]) };
      // Between two steps: no command of this run is under way.
      if (task.has_takeover && (await takeover.handle(watched))) return 'wait';
      return await act(watched);
    } catch (error) {
      if (error instanceof NoBrowserYet) return { waitMs: browserWaitMs, isForBrowser: true };
      if (error instanceof FieldsLost) return 'again';
      throw watch.signal.aborted ? new TaskNotHeld() : error;
    } finally {
      watch.close();
    }
  }

  return { tick: () => tick().catch(afterError) };
}
