// What is read from the server, under which key it lies in the cache, and how often it is read again.

import type { SessionState } from '@pilothouse/contract';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from './login.ts';

/** Lists are polled: often while the page is seen, seldom while it is not. A list that is not shown is not read at all. */
const polled = (shownMs: number) => ({
  refetchInterval: () => (document.visibilityState === 'visible' ? shownMs : 30_000),
  refetchIntervalInBackground: true,
});

/** What the operator wants everyone to know, and whether there are logins. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => client.getHealth({}, { signal }),
  staleTime: 60_000,
});

export const inboxQuery = queryOptions({
  queryKey: ['inbox'],
  queryFn: ({ signal }) => client.listInbox({ limit: 100 }, { signal }),
  ...polled(10_000),
});

export const sessionsQuery = (status: SessionState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['sessions', status ?? 'all'],
    queryFn: ({ pageParam: cursor, signal }) => client.listSessions({ status, cursor, limit: 24 }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    ...polled(5000),
  });

/** The newest tasks, to say in a list of sessions what the last task of each does. */
export const tasksQuery = queryOptions({
  queryKey: ['tasks'],
  queryFn: ({ signal }) => client.listTasks({ limit: 200 }, { signal }),
  ...polled(5000),
});

export const taskStatusQuery = (id: string) =>
  queryOptions({
    queryKey: ['task', id, 'status'],
    queryFn: ({ signal }) => client.getTaskStatus({ id }, { signal }),
  });

/** The newest picture of a task. `version` names its progress: without progress there is no newer one to read. */
export const pictureQuery = (taskId: string, version: string) =>
  queryOptions({
    queryKey: ['picture', taskId, version],
    queryFn: async ({ signal }) => {
      // Without `format` the picture itself is answered.
      const answer = (await client.getScreenshot({ id: taskId }, { signal })) as unknown as Response;
      return answer.blob();
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    placeholderData: (previous: Blob | undefined, query) => (query?.queryKey[1] === taskId ? previous : undefined),
  });

export const loginsQuery = queryOptions({
  queryKey: ['logins'],
  queryFn: ({ signal }) => client.listLogins({ limit: 100 }, { signal }),
});

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => client.listKeys({ limit: 100 }, { signal }),
});

export const profilesQuery = queryOptions({
  queryKey: ['profiles'],
  queryFn: ({ signal }) => client.listProfiles({ limit: 100 }, { signal }),
});
