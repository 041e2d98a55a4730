// Attempts at steps, from the status of a task (the last ones) and from its ledger (all of them).

import type { AgentHistory, Execution, Verdict } from '../live/api-types.ts';

export type Attempt = {
  stepId: string;
  index: number;
  title: string;
  action: string;
  status: AgentHistory['status'];
  /** 1 for the first attempt at the step. */
  number: number;
  /** When it began and ended, in ms. */
  from: number;
  to: number;
  ranMs: number;
  message: string | null;
  thinking: string | null;
  evaluation: string | null;
  nextGoal: string | null;
  /** What the policy said of it; absent where it was not asked. */
  verdict?: Verdict;
  /** Which agent made it; undefined where only the status tells of it. */
  executionId?: string;
};

/** Attempts that have ended, by step and number. Thoughts are only in the history, the exact begin only in the ledger. */
export function attemptsOf(history: readonly AgentHistory[], executions: readonly Execution[] = []): Attempt[] {
  const known = new Map<string, Attempt>();
  for (const attempt of executions.flatMap(ledgerAttempts)) known.set(keyOf(attempt), attempt);
  for (const entry of history) {
    const attempt = historyAttempt(entry);
    const { from, executionId } = known.get(keyOf(attempt)) ?? attempt;
    known.set(keyOf(attempt), { ...attempt, from, executionId });
  }
  return withoutAsking(
    [...known.values()].toSorted((one, other) => one.index - other.index || one.number - other.number),
  );
}

/** It ended before anything was done, because a person has to say yes first: the question stands for it. */
export const isAsking = ({ status, verdict }: { status: string; verdict?: Verdict }): boolean =>
  status === 'failed' && verdict?.outcome === 'ask' && verdict.approved_by === undefined;

/** The attempt after a yes is the first one that tried. */
function withoutAsking(attempts: readonly Attempt[]): Attempt[] {
  const asked = new Map<number, number>();
  return attempts.flatMap((attempt) => {
    const before = asked.get(attempt.index) ?? 0;
    if (!isAsking(attempt)) return { ...attempt, number: attempt.number - before };
    asked.set(attempt.index, before + 1);
    return [];
  });
}

const keyOf = ({ stepId, number }: Attempt): string => `${stepId} ${number}`;

function historyAttempt(entry: AgentHistory): Attempt {
  const to = Date.parse(entry.timestamp);
  return {
    stepId: entry.step_id,
    index: entry.step_index,
    title: entry.title,
    action: entry.action,
    status: entry.status,
    number: entry.attempts,
    from: to - entry.run_ms - entry.wait_ms,
    to,
    ranMs: entry.run_ms,
    message: entry.message,
    thinking: entry.thinking,
    evaluation: entry.evaluation,
    nextGoal: entry.next_goal,
    verdict: entry.policy,
  };
}

function ledgerAttempts({ execution_id, steps }: Execution): Attempt[] {
  return steps.flatMap((step) => {
    if (step.status === 'running' || step.effect_at === null) return [];
    return {
      stepId: step.step_id,
      index: step.index,
      title: step.title,
      action: step.action,
      status: step.status,
      number: step.attempts,
      from: Date.parse(step.intent_at),
      to: Date.parse(step.effect_at),
      ranMs: step.run_ms,
      message: step.error,
      thinking: null,
      evaluation: null,
      nextGoal: null,
      verdict: step.policy,
      executionId: execution_id,
    };
  });
}

/** The attempts at each step, oldest first, in the order of the steps. */
export function byStep(attempts: readonly Attempt[]): Attempt[][] {
  return [...Map.groupBy(attempts, ({ index }) => index).values()];
}
