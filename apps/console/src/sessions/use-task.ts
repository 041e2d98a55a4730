// A task as components read it: the status first, then what its stream adds.

import { isTerminal } from '@pilothouse/sdk';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client } from '../api/login.ts';
import { readAgain } from '../api/query-client.ts';
import type { TaskEvent } from '../live/api-types.ts';
import { followStream } from '../live/follow.ts';
import { applyTask, restoreTask, type TaskView } from '../tasks/timeline-model.ts';

export const taskKey = (id: string | undefined) => ['task', id] as const;

/** What was asked, with the plan: it changes only when the agent plans. */
export const taskDetailQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['task detail', id],
    queryFn: async ({ signal }) => (await client.getTask({ id: id ?? '' }, { signal })).task,
    enabled: id !== undefined,
  });

/** What was said: also for a task that is not the session's last. */
export const messagesQuery = (id: string | undefined, isLast: boolean) =>
  queryOptions({
    queryKey: ['messages', id],
    queryFn: async ({ signal }) => (await client.getMessageState({ id: id ?? '' }, { signal })).message_state,
    enabled: id !== undefined && !isLast,
  });

export function useTask(id: string | undefined, onEvent?: (event: TaskEvent) => void) {
  const cache = useQueryClient();
  const query = useQuery({
    queryKey: taskKey(id),
    queryFn: async ({ signal }) => restoreTask((await client.getTaskStatus({ id: id ?? '' }, { signal })).status),
    enabled: id !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: readAgain,
  });
  const { data } = query;
  const isOpen = data !== undefined && !isTerminal(data.status);

  useEffect(() => {
    if (!isOpen || id === undefined) return;
    const stop = new AbortController();
    let isFirst = true;
    void followStream<TaskEvent>({
      read: async () => {
        if (!isFirst) await cache.refetchQueries({ queryKey: taskKey(id) });
        isFirst = false;
        return cache.getQueryData<TaskView>(taskKey(id))?.cursor ?? '';
      },
      open: (cursor, options) => client.followTask({ id, cursor }, options),
      apply: (event) => {
        cache.setQueryData<TaskView>(taskKey(id), (view) => view && applyTask(view, event));
        if (event.type === 'message_state') cache.setQueryData(['messages', id], event.message_state);
        // The numbers of what it cost come only with the status.
        if (event.type === 'end') void cache.invalidateQueries({ queryKey: taskKey(id) });
        onEvent?.(event);
      },
      signal: stop.signal,
    });
    return () => stop.abort();
  }, [id, isOpen, cache, onEvent]);

  return { task: data, error: data ? null : query.error };
}
