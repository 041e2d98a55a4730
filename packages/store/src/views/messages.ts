import type { MessageState, Plan, TaskResult } from '@pilothouse/contract';
import { titleOf } from './progress.ts';
import { answersOf, questionOf } from './questions.ts';
import type { StepRow } from './steps.ts';
import type { TaskRow } from './tasks.ts';

type Item = MessageState['items'][number];

/**
 * A task as a conversation, told from what is written down anyway: what was asked, what came of each try, what the
 * agent wanted to know, what was said, and the end. A try that failed is progress too: only the end is an error.
 */
export function messageStateOf(task: TaskRow, lines: StepRow[]): MessageState {
  const { prompt, created_at } = task;
  const asked: Item = { role: 'user', kind: 'prompt', content: prompt, recorded_at: created_at.toISOString() };
  const pending = questionOf(task);
  const between = [...lines.flatMap((line) => progressItems(task, line)), ...answerItems(task)];
  // Times of the interface sort as text; what happened at once stays as it was said.
  between.sort((one, other) =>
    one.recorded_at < other.recorded_at ? -1 : one.recorded_at > other.recorded_at ? 1 : 0,
  );
  const standing: Item[] = pending
    ? [{ role: 'agent', kind: 'question', content: pending.text, recorded_at: pending.asked_at }]
    : [];
  return { task_prompt: prompt, items: [asked, ...between, ...standing, ...endItems(task)], pending_question: pending };
}

function progressItems(task: TaskRow, { index, effect_at, error }: StepRow): Item[] {
  // Written by us from what the contract calls a plan.
  const step = (task.plan as Plan).steps[index - 1];
  if (!effect_at || !step) return [];
  const content = error === null ? titleOf(step) : `${titleOf(step)}: ${error}`;
  return [{ role: 'agent', kind: 'progress', content, recorded_at: effect_at.toISOString() }];
}

const answerItems = (task: TaskRow): Item[] =>
  answersOf(task).flatMap(({ question, asked_at, text, answered_at }) => {
    const asked: Item = { role: 'agent', kind: 'question', content: question, recorded_at: asked_at };
    return text === null ? [asked] : [asked, { role: 'user', kind: 'answer', content: text, recorded_at: answered_at }];
  });

function endItems({ status, finished_at, last_error, result }: TaskRow): Item[] {
  if (!finished_at) return [];
  const recorded_at = finished_at.toISOString();
  switch (status) {
    case 'success': {
      // Written by us as well.
      const content = (result as TaskResult | null)?.summary;
      return content ? [{ role: 'agent', kind: 'result', content, recorded_at }] : [];
    }
    case 'cancelled':
      return [{ role: 'system', kind: 'note', content: last_error ?? 'The task was cancelled.', recorded_at }];
    default:
      return [{ role: 'agent', kind: 'error', content: last_error ?? 'The task failed.', recorded_at }];
  }
}
