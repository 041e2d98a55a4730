// What a model decided for a task, and what it has used, while the page is open. What reads it is loaded with the first task
// of a model.

import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Decided } from './read-decided.ts';
import type { TaskView } from './timeline-model.ts';

/** A model finds the steps of such a task while it works, so nobody knows how many there will be. */
export const isModelTask = (task: Pick<TaskView, 'total_steps'> | undefined): boolean => task?.total_steps === null;

export function useDecided(task: TaskView | undefined): Decided | undefined {
  const id = task?.task_id ?? '';
  const last = useRef<Decided>(undefined);
  const known = last.current?.taskId === id ? last.current : undefined;
  const { data } = useQuery({
    // Every decision, and every step that begins or ends, changes one of these.
    queryKey: ['decided', id, task?.last_updated_at, task?.agent_history.length],
    queryFn: async ({ signal }) => (await import('./read-decided.ts')).readDecided(id, known, signal),
    enabled: isModelTask(task),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (data) last.current = data;
  // Until the next is read, and where that fails, the last one is shown.
  return data ?? known;
}
