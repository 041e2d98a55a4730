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

/** What the server offers, and how much of it the caller may use. */
export const capabilitiesQuery = queryOptions({
  queryKey: ['capabilities'],
  queryFn: ({ signal }) => client.getCapabilities({}, { signal }),
  // Without a login it says nothing of the caller, who may be known by now.
  staleTime: ({ state: { data } }) => (data?.caller ? 60_000 : 0),
  // Whose quota is used up waits for the end of a task.
  refetchInterval: ({ state: { data } }) => {
    const tasks = data?.caller?.quotas.open_tasks;
    return tasks && tasks.used >= tasks.limit ? 10_000 : false;
  },
});

/** Tasks that are not over, those at work first: read where the quota of them is used up. */
export const openTasksQuery = queryOptions({
  queryKey: ['open tasks'],
  queryFn: async ({ signal }) => {
    const states = ['running', 'awaiting_user', 'takeover', 'pending'] as const;
    const read = await Promise.all(states.map((status) => client.listTasks({ status, limit: 20 }, { signal })));
    return read.flatMap(({ tasks }) => tasks);
  },
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

/** The newest kept picture of a session. Another picture has another `frameId`, so that none is read twice. */
export const thumbnailQuery = (sessionId: string, frameId: string) =>
  queryOptions({
    queryKey: ['thumbnail', sessionId, frameId],
    queryFn: async ({ signal }) => (await client.getThumbnail({ id: sessionId }, { signal })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    placeholderData: (previous: Blob | undefined, query) => (query?.queryKey[1] === sessionId ? previous : undefined),
  });

/** The newest picture of a task that waits: it does not change while it does. */
export const pictureQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['picture', taskId],
    queryFn: async ({ signal }) => {
      // Without `format` the picture itself is answered.
      const answer = (await client.getScreenshot({ id: taskId }, { signal })) as unknown as Response;
      return answer.blob();
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });

export const loginsQuery = queryOptions({
  queryKey: ['logins'],
  queryFn: ({ signal }) => client.listLogins({ limit: 100 }, { signal }),
});

/** The rules that the person added, and what holds in the end. */
export const policyQuery = queryOptions({
  queryKey: ['policy'],
  queryFn: ({ signal }) => client.getPolicy({}, { signal }),
});

export const profilesQuery = queryOptions({
  queryKey: ['profiles'],
  queryFn: ({ signal }) => client.listProfiles({ limit: 100 }, { signal }),
});

/** Names and origins; no route has a value. */
export const secretsQuery = queryOptions({
  queryKey: ['secrets'],
  queryFn: ({ signal }) => client.listSecrets({}, { signal }),
});

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => client.listKeys({ limit: 100 }, { signal }),
});
