// Everything that people said or wrote for a task: what a model may take from there, it was given.

import { answersOf, planItemsOf, type TaskMessageRow } from '@pilothouse/store';
import type { TaskTurn } from '../ledger/turn.ts';

export const saidByPeople = ({ task, settings }: TaskTurn, messages: Pick<TaskMessageRow, 'text'>[]): string[] => [
  task.prompt,
  settings.current_url ?? '',
  ...settings.constraints,
  ...messages.map(({ text }) => text),
  ...answersOf(task).map(({ text }) => text ?? ''),
  // A person agreed to it.
  ...(task.plan_agreed_at ? (planItemsOf(task) ?? []).map(({ text, site }) => `${text} ${site ?? ''}`) : []),
];
