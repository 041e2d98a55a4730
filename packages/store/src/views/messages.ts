// A task as a conversation.

import type { MessageState, Plan, TaskResult } from '@pilothouse/contract';
import type { StepRow } from '../ledger/steps.ts';
import { answersOf, questionOf } from '../tasks/questions.ts';
import type { TaskMessageRow } from '../tasks/task-messages.ts';
import type { TaskRow } from '../tasks/tasks.ts';
import { titleOf } from './progress.ts';

type Item = MessageState['items'][number];

/**
 * Built from rows that exist anyway: the prompt, the outcome of each attempt, questions, answers, messages of people, and the end. A failed
 * attempt is progress too; only a failed task ends with an error.
 */
export function messageStateOf(task: TaskRow, attempts: StepRow[], messages: TaskMessageRow[]): MessageState {
  const { prompt, created_at } = task;
  const request: Item = { role: 'user', kind: 'prompt', content: prompt, recorded_at: created_at.toISOString() };
  const pending = questionOf(task);
  const between = [
    ...attempts.flatMap((attempt) => progressItems(task, attempt)),
    ...answerItems(task),
    ...messages.map(messageItem),
  ];
  // Times of the API sort as text; items of the same time keep their order.
  between.sort((one, other) =>
    one.recorded_at < other.recorded_at ? -1 : one.recorded_at > other.recorded_at ? 1 : 0,
  );
  const standing: Item[] = pending
    ? [{ role: 'agent', kind: 'question', content: pending.text, recorded_at: pending.asked_at }]
    : [];
  return {
    task_prompt: prompt,
    items: [request, ...between, ...standing, ...endItems(task)],
    pending_question: pending,
  };
}

const messageItem = ({ text, recorded_at }: TaskMessageRow): Item => ({
  role: 'user',
  kind: 'note',
  content: text,
  recorded_at: recorded_at.toISOString(),
});

function progressItems(task: TaskRow, { index, effect_at, error }: StepRow): Item[] {
  // Written by this package, in the shape of the contract's plan.
  const step = (task.plan as Plan).steps[index - 1];
  if (!effect_at || !step) return [];
  const content = error === null ? titleOf(step) : `${titleOf(step)}: ${error}`;
  return [{ role: 'agent', kind: 'progress', content, recorded_at: effect_at.toISOString() }];
}

/** A choice is told in the words that it was offered with, not by its value. */
const answerItems = (task: TaskRow): Item[] =>
  answersOf(task).flatMap(({ question, asked_at, text, label, answered_at }) => {
    const asked: Item = { role: 'agent', kind: 'question', content: question, recorded_at: asked_at };
    if (text === null) return [asked];
    return [asked, { role: 'user', kind: 'answer', content: label ?? text, recorded_at: answered_at }];
  });

function endItems({ status, finished_at, last_error, result }: TaskRow): Item[] {
  if (!finished_at) return [];
  const recorded_at = finished_at.toISOString();
  switch (status) {
    case 'success': {
      // Written by this package as well.
      const content = (result as TaskResult | null)?.summary;
      return content ? [{ role: 'agent', kind: 'result', content, recorded_at }] : [];
    }
    case 'cancelled':
      return [{ role: 'system', kind: 'note', content: last_error ?? 'The task was cancelled.', recorded_at }];
    default:
      return [{ role: 'agent', kind: 'error', content: last_error ?? 'The task failed.', recorded_at }];
  }
}
