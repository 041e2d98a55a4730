// What comes next in a task, from its rows. Writes nothing but the end of a decision that people have overtaken.

import { Plan } from '@pilothouse/contract';
import type { Store, TaskRow } from '@pilothouse/store';
import { launchOptionsOf, settingsOf } from '../browsers/launch-options.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TaskTurn, Turn } from '../ledger/turn.ts';
import { nextDecidedStep } from '../planner/decided-steps.ts';
import { nextGivenStep } from '../planner/given-steps.ts';
import { attemptsSince, fillsBefore } from '../planner/refill.ts';
import { decideIrreversible } from '../policy/irreversible.ts';
import { refusalOf } from '../policy/retries.ts';

type WorkedTask = NonNullable<Awaited<ReturnType<Store['tasks']['atWork']>>>;

/** Its steps are not known beforehand: a model decides them. */
export const isOpenPlan = ({ total_steps }: Pick<TaskRow, 'total_steps'>): boolean => total_steps === null;
export const hasStep = (turn: TaskTurn | Turn): turn is Turn => 'step' in turn;

export function createNextTurn({ store, ledger }: { store: Store; ledger: Ledger }) {
  /** What is known of the task, and of its next step. Without a step, all steps are done, or a model has to decide. */
  return async function nextTurn(task: WorkedTask, executionId: string, signal: AbortSignal): Promise<TaskTurn | Turn> {
    const decision = isOpenPlan(task) ? await store.decisions.newest(task.id) : undefined;
    const rows = await store.steps.of(task.id);
    const settings = settingsOf(task);
    const turn: TaskTurn = {
      task,
      session: launchOptionsOf({ ...task, id: task.session_id }, settings),
      executionId,
      settings,
      attemptsOfTask: rows.length,
      standing: {
        policy: task.user_policy,
        isAdmin: task.is_admin,
        hasApprovals: task.has_approvals,
        hasTypedSecrets: task.has_typed_secrets,
      },
      leftMs: settings.time_limit_secs * 1000 - task.worked_ms,
      signal,
    };
    const { steps: plan } = Plan.parse(task.plan);
    const next = isOpenPlan(task) ? nextDecidedStep(plan, rows, decision) : nextGivenStep(plan, rows);
    if (!next) return turn;
    const attempts = rows.filter(({ index }) => index === next.index);
    const isUnderWay = attempts.some(({ status }) => status === 'running');
    if (decision && !isUnderWay && (decision.has_new_messages || decision.was_driven)) {
      const reason = decision.was_driven ? 'A person drove the browser.' : 'A person said something.';
      await ledger.cutDecision(turn, decision, reason);
      return turn;
    }
    if (isOpenPlan(task)) return { ...turn, ...next, steps: plan, attempts, decision };
    const ahead = { ...turn, ...next, steps: plan, attempts };
    const isOpen = rows.some(({ status }) => status === 'running');
    // A person who is asked whether it was done has to see the page as it is.
    if (!isOpen && (decideIrreversible(ahead) !== 'none' || refusalOf(ahead))) return ahead;
    const { lost, filledUnder } = fillsBefore(plan, rows, next.index, task.opened_epoch ?? 0);
    const again = lost && plan[lost.index - 1];
    if (!again || (await store.takeovers.wasDriven(task.session_id, lost.since))) return { ...ahead, filledUnder };
    const tried = attemptsSince(rows.filter(({ index }) => index === lost.index));
    return { ...ahead, index: lost.index, step: again, attempts: tried, filledUnder, isRefill: true };
  };
}
