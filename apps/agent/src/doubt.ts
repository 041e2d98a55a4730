import { answersOf, type StepRow, stepIdOf, titleOf } from '@pilothouse/store';
import type { Turn } from './turn.ts';

/** What is known of a step that cannot be undone, before it is tried: nothing stands against it, or a person decides. */
export type Doubt = 'none' | 'ask' | 'done' | 'stop';

/** A try that may have touched the page is not repeated blind: a person says what to do. */
export function doubtOf({ step, tries, task, index }: Turn): Doubt {
  const last = tries.at(-1);
  if (!step.irreversible || last?.status !== 'interrupted' || !last.may_have_acted) return 'none';
  const since = last.effect_at?.getTime() ?? 0;
  const answer = answersOf(task).findLast(
    ({ step_id, asked_at }) => step_id === stepIdOf(index) && Date.parse(asked_at) >= since,
  );
  return answer ? decisionOf(answer.text ?? '') : 'ask';
}

/** Words that a person uses; whatever says neither is taken for "it was done, go on". */
function decisionOf(text: string): Doubt {
  if (says(text, 'repeat|again|redo')) return 'none';
  return says(text, 'stop|cancel|abort') ? 'stop' : 'done';
}

/** Whether one of the words is there without a "not" just before it: "don't do it again" is no wish for more. */
function says(text: string, words: string): boolean {
  const negated = new RegExp(`\\b(not|never|without|don['’]?t|no need to)\\s+(\\w+\\s+){0,2}(${words})\\b`, 'gi');
  return new RegExp(`\\b(${words})\\b`, 'i').test(text.replaceAll(negated, ''));
}

export const doubtQuestion = ({ step }: Turn, last: StepRow | undefined): string =>
  `"${titleOf(step)}" may or may not have been done: ${last?.error ?? 'nobody knows'} ` +
  'It cannot be undone, so it was not repeated. Look at the page, and answer: go on as done, repeat, or stop.';
