// Plans a task whose steps a model decides: the next step is one of its newest decision, while that is open. Reads rows,
// writes nothing.

import type { Step } from '@pilothouse/contract';
import type { DecisionRow, StepRow } from '@pilothouse/store';

/**
 * The first step of the decision that has not ended. Undefined where none is left, so that the model has to decide. A step
 * that failed has ended its decision, unless it is to be tried again.
 */
export function nextDecidedStep(
  plan: Step[],
  attempts: StepRow[],
  decision: DecisionRow | undefined,
): { index: number; step: Step } | undefined {
  if (decision?.status !== 'open') return undefined;
  const done = new Set(attempts.flatMap(({ index, status }) => (status === 'success' ? index : [])));
  for (let index = decision.first_step; index <= decision.last_step; index += 1) {
    const step = plan[index - 1];
    if (step && !done.has(index)) return { index, step };
  }
  return undefined;
}
