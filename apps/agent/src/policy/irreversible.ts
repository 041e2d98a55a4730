// A step that cannot be undone is never repeated while it may have been done: a person decides.

import { IrreversibleAnswer } from '@pilothouse/contract';
import { answersOf, type StepRow, stepIdOf, titleOf } from '@pilothouse/store';
import type { Turn } from '../ledger/turn.ts';

/** `none`: the step may run. `ask`: a person has to decide. `done` and `stop`: a person decided so. */
export type IrreversibleDecision = 'none' | 'ask' | 'done' | 'stop';

/** The step says so, or a person had to say yes to it: it is done at most once. */
export const isOnceOnly = ({ step, attempts }: Pick<Turn, 'step' | 'attempts'>): boolean =>
  step.irreversible === true || attempts.some(({ approval_id }) => Boolean(approval_id));

export function decideIrreversible(turn: Turn): IrreversibleDecision {
  const { attempts, task, index } = turn;
  const last = attempts.at(-1);
  if (!isOnceOnly(turn) || last?.status !== 'interrupted' || !last.may_have_acted) return 'none';
  const since = last.effect_at?.getTime() ?? 0;
  const answer = answersOf(task).findLast(
    ({ step_id, asked_at }) => step_id === stepIdOf(index) && Date.parse(asked_at) >= since,
  );
  return answer ? decisionOf(answer.text) : 'ask';
}

/** An earlier release took any words as an answer. Words that are none of the options decide nothing. */
function decisionOf(text: string | null): IrreversibleDecision {
  const decisions = { done: 'done', repeat: 'none', stop: 'stop' } as const satisfies Record<
    IrreversibleAnswer,
    IrreversibleDecision
  >;
  const { data } = IrreversibleAnswer.safeParse(text);
  return data ? decisions[data] : 'ask';
}

/** The question takes only its options as answers. */
export const irreversibleQuestion = ({ step }: Turn, last: StepRow | undefined) => ({
  text:
    `"${titleOf(step)}" may or may not have been done: ${last?.error ?? 'the reason is not known.'} ` +
    'It cannot be undone, so it was not repeated. Look at the page, and answer: ' +
    'done (go on, it was done), repeat (do it again), or stop (end the task).',
  until: null,
  kind: 'doubt' as const,
  options: [...IrreversibleAnswer.options],
});
