// The result of a task: extracted values by name, downloaded files, and the answers of people.

import type { Json, Step, TaskResult } from '@pilothouse/contract';
import { answersOf, type Store, stepIdOf, type TaskRow, taskTitleOf } from '@pilothouse/store';

export async function resultOf(store: Store, task: TaskRow, steps: Step[]): Promise<TaskResult> {
  const [findings, files] = await Promise.all([store.observations.findingsOf(task.id), store.files.listOf(task.id)]);
  const names = new Map(steps.flatMap((step, i) => (step.action === 'extract' ? [[stepIdOf(i + 1), step.as]] : [])));
  const read: [string, Json][] = findings.flatMap(({ kind, step_id, data }) => {
    const name = kind === 'extract' ? names.get(step_id) : undefined;
    // Made storable before it was written.
    return name === undefined ? [] : [[name, (data ?? null) as Json]];
  });
  const brought = new Set(findings.flatMap(({ file_id }) => file_id ?? []));
  const answers = answersOf(task).flatMap(({ step_id, question, text }) =>
    text === null ? [] : [{ step_id, question, text }],
  );
  return {
    summary: `Done: ${taskTitleOf(steps)}`,
    data: read.length > 0 ? Object.fromEntries(read) : null,
    files: files
      .filter(({ id }) => brought.has(id))
      .map(({ id, name, content_type, byte_len }) => ({
        file_id: id,
        name,
        content_type,
        byte_len,
        path: `/api/tasks/${task.id}/files/${id}`,
      })),
    ...(answers.length > 0 && { answers }),
  };
}
