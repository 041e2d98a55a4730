// Runs a task in this process. A tick reads the ledger, decides, acts and records; it keeps nothing in memory that another
// agent would need.

import { isTerminal, Plan } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import type { ClaimedRun, Store, TaskRow } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import { launchOptionsOf, settingsOf } from '../browsers/launch-options.ts';
import { NoBrowserYet } from '../browsers/task-wait.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { resultOf } from '../ledger/result.ts';
import { type Next, TaskNotHeld, type Turn } from '../ledger/turn.ts';
import { nextGivenStep } from '../planner/given-steps.ts';
import { createClaim } from './claim.ts';
import { createFailedTick } from './failed-tick.ts';
import type { Files } from './files.ts';
import { createFirstPage } from './first-page.ts';
import { createSteps } from './steps.ts';
import { createTakeover } from './takeover.ts';
import { createWaits } from './waits.ts';

export type Run = { tick(): Promise<Next> };

type Options = {
  store: Store;
  browsers: Browsers;
  ledger: Ledger;
  files: Files;
  agentId: string;
  log: Log;
  signal: AbortSignal;
};
type WorkedTask = NonNullable<Awaited<ReturnType<Store['tasks']['atWork']>>>;

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
  const claim = createClaim(options, claimed);
  const afterError = createFailedTick({ ...options, claim }, taskId);

  /** The next step and what is known of it; undefined where all steps are done. */
  async function nextTurn(task: WorkedTask, executionId: string): Promise<Turn | undefined> {
    const rows = await store.steps.of(taskId);
    const { steps: plan } = Plan.parse(task.plan);
    const next = nextGivenStep(plan, rows);
    if (!next) return undefined;
    const settings = settingsOf(task);
    const leftMs = settings.time_limit_secs * 1000 - task.worked_ms;
    const attempts = rows.filter(({ index }) => index === next.index);
    const known = {
      task,
      session: launchOptionsOf({ ...task, id: task.session_id }, settings),
      executionId,
      settings,
      steps: plan,
    };
    return { ...known, ...next, attempts, attemptsOfTask: rows.length, leftMs, signal };
  }

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

  async function act(turn: Turn): Promise<Next> {
    const onFirstPage = await firstPage.open(turn);
    if (onFirstPage) return onFirstPage;
    const { step } = turn;
    if (step.action === 'ask') return waiting.ask(turn, step);
    return step.action === 'wait' ? waiting.wait(turn, step) : steps.run(turn);
  }

  async function tick(): Promise<Next> {
    const task = await store.tasks.atWork(taskId);
    if (!task || isTerminal(task.status)) return 'done';
    const executionId = claim.executionId() ?? (await claim.take(task));
    if (!executionId) return 'done';
    // A person has it. What hands it back makes the task due.
    if (task.status === 'awaiting_user' || task.status === 'takeover') return 'wait';
    const turn = await nextTurn(task, executionId);
    if (!turn) return finish(task, executionId);
    if (turn.leftMs <= 0) return steps.giveUp(turn, `The time limit of ${turn.settings.time_limit_secs} s is over.`);
    // A takeover request aborts a step that only waits; any other step is finished first.
    const isIdle = turn.step.action === 'wait' && !task.has_takeover;
    const watch = ledger.watchTask({ id: taskId, executionId, isIdle });
    try {
      const watched = { ...turn, signal: AbortSignal.any([signal, watch.signal]) };
      // Between two steps: no command of this run is under way.
      if (task.has_takeover && (await takeover.handle(watched))) return 'wait';
      return await act(watched);
    } catch (error) {
      if (error instanceof NoBrowserYet) return { waitMs: browserWaitMs, isForBrowser: true };
      throw watch.signal.aborted ? new TaskNotHeld() : error;
    } finally {
      watch.close();
    }
  }

  return { tick: () => tick().catch(afterError) };
}
