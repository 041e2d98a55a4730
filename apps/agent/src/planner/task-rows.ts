// Everything that is known of a task when a model is asked: rows alone, so that any agent would ask the same.

import { answersOf, type Store, type TaskRow } from '@pilothouse/store';
import type { HistoryRows } from './history.ts';

export type TaskRows = HistoryRows & { calls: Awaited<ReturnType<Store['modelCalls']['of']>> };

export async function readTaskRows(store: Store, task: TaskRow): Promise<TaskRows> {
  const [decisions, attempts, messages, takeovers, findings, calls] = await Promise.all([
    store.decisions.of(task.id),
    store.steps.of(task.id),
    store.taskMessages.of(task.id),
    store.takeovers.pastOf(task.id),
    store.observations.findingsOf(task.id),
    store.modelCalls.of(task.id),
  ]);
  return { decisions, attempts, messages, takeovers, findings, calls, answers: answersOf(task) };
}
