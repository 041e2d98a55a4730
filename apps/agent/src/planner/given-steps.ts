// Plans a task whose steps were given: the next step is the first that has not succeeded. Reads the ledger, writes nothing.

import type { Step } from '@pilothouse/contract';
import type { StepRow } from '@pilothouse/store';

/** Undefined when all steps are done. The first step has index 1. */
export function nextGivenStep(plan: Step[], attempts: StepRow[]): { index: number; step: Step } | undefined {
  const done = new Set(attempts.flatMap(({ index, status }) => (status === 'success' ? index : [])));
  const index = plan.findIndex((_, i) => !done.has(i + 1)) + 1;
  const step = plan[index - 1];
  return step && { index, step };
}
