// What the pages of administrators read. Figures are polled; lists that tell of users are not: each read is in the audit.

import type { TaskState, WaitCause } from '@pilothouse/contract';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../api/login.ts';

const polled = { refetchInterval: 5000 };
const pageSize = 50;
const paged = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next_cursor }: { next_cursor: string | null }) => next_cursor ?? undefined,
};
const read = { ...paged, refetchOnWindowFocus: false, staleTime: 10_000, retry: false } as const;

export const overviewQuery = queryOptions({
  queryKey: ['admin', 'overview'],
  queryFn: ({ signal }) => client.getAdminOverview({}, { signal }),
  ...polled,
});

export const hostsQuery = infiniteQueryOptions({
  queryKey: ['admin', 'hosts'],
  queryFn: ({ pageParam: cursor, signal }) => client.listAdminHosts({ cursor, limit: 100 }, { signal }),
  ...paged,
  ...polled,
});

export const agentsQuery = queryOptions({
  queryKey: ['admin', 'agents'],
  queryFn: ({ signal }) => client.listAdminAgents({ limit: 200 }, { signal }),
  ...polled,
});

export type TaskFilter = { status?: TaskState; waits_for?: WaitCause; user?: string; older_than_secs?: number };
export const tasksQuery = (filter: TaskFilter) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'tasks', filter],
    queryFn: ({ pageParam: cursor, signal }) =>
      client.listAdminTasks({ ...filter, cursor, limit: pageSize }, { signal }),
    ...read,
    placeholderData: keepPreviousData,
  });

export const usersQuery = (user: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'users', user],
    queryFn: ({ pageParam: cursor, signal }) => client.listAdminUsers({ user, cursor, limit: pageSize }, { signal }),
    ...read,
    placeholderData: keepPreviousData,
  });

export type AuditFilter = { user?: string; event?: string; from?: string; until?: string };
export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'audit', filter],
    queryFn: ({ pageParam: cursor, signal }) => client.listAudit({ ...filter, cursor, limit: pageSize }, { signal }),
    ...read,
    placeholderData: keepPreviousData,
  });
