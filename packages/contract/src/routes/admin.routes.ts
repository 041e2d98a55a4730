// Routes of administrators: what an operator sees of the whole installation. Everyone else is refused, and so are API keys.

import { z } from 'zod';
import { Count } from '../types/count.ts';
import { IdParam } from '../types/id.ts';
import { NextCursor, Page } from '../types/query.ts';
import { bodyErrors, bodyLimits, loginErrors, type Route, Success } from '../types/route.ts';
import {
  AdminAgent,
  AdminHost,
  AdminOverview,
  AdminTask,
  AdminTasksQuery,
  AdminUser,
  AdminUsersQuery,
  AuditEntry,
  AuditExportQuery,
  AuditQuery,
  ChangeHostRequest,
  ChangeUserRequest,
} from './admin.ts';

const common = { access: 'user', origin: 'extension', area: 'admin' } as const;
const listErrors = [...loginErrors, 'validation_failed', 'forbidden'] as const;
const params = z.object({ id: IdParam });

export const adminRoutes = {
  getAdminOverview: {
    ...common,
    method: 'GET',
    path: '/api/admin/overview',
    summary: 'Read what the whole installation does: tasks, hosts, browsers, agents. Administrators only',
    replies: { 200: Success.extend({ overview: AdminOverview }) },
    errors: [...loginErrors, 'forbidden'],
  },
  listAdminUsers: {
    ...common,
    method: 'GET',
    path: '/api/admin/users',
    limit: 'look',
    summary: 'List users, newest first, with what they have open and stored. Administrators only',
    query: AdminUsersQuery,
    replies: { 200: Success.extend({ users: z.array(AdminUser), next_cursor: NextCursor }) },
    errors: [...listErrors, 'rate_limited'],
  },
  changeUser: {
    ...common,
    method: 'PATCH',
    path: '/api/admin/users/:id',
    limit: 'write',
    summary: 'Disable a user, which ends their logins, or enable them again. Administrators only',
    params,
    body: ChangeUserRequest,
    bodyLimitBytes: bodyLimits.other,
    replies: { 200: Success },
    errors: [...loginErrors, ...bodyErrors, 'forbidden', 'not_found', 'conflict', 'rate_limited'],
  },
  listAdminHosts: {
    ...common,
    method: 'GET',
    path: '/api/admin/hosts',
    summary: 'List browser hosts by id: what they hold and may hold, and when they were heard of. Administrators only',
    query: Page,
    replies: { 200: Success.extend({ hosts: z.array(AdminHost), next_cursor: NextCursor }) },
    errors: listErrors,
  },
  changeHost: {
    ...common,
    method: 'PUT',
    path: '/api/admin/hosts/:id',
    limit: 'write',
    summary: 'Set how many sessions a host may hold, from its next heartbeat on. Administrators only',
    params,
    body: ChangeHostRequest,
    bodyLimitBytes: bodyLimits.other,
    replies: { 200: Success.extend({ max_sessions: Count.nullable() }) },
    errors: [...loginErrors, ...bodyErrors, 'forbidden', 'not_found', 'rate_limited'],
  },
  listAdminAgents: {
    ...common,
    method: 'GET',
    path: '/api/admin/agents',
    summary: 'List agents: whether they live, their models, and how many tasks they work on. Administrators only',
    query: Page,
    replies: { 200: Success.extend({ agents: z.array(AdminAgent), next_cursor: NextCursor }) },
    errors: listErrors,
  },
  listAdminTasks: {
    ...common,
    method: 'GET',
    path: '/api/admin/tasks',
    limit: 'look',
    summary:
      'List tasks of all users, newest first, without their words; a page may be short and have a next one. Administrators only',
    query: AdminTasksQuery,
    replies: { 200: Success.extend({ tasks: z.array(AdminTask), next_cursor: NextCursor }) },
    errors: [...listErrors, 'rate_limited'],
  },
  listAudit: {
    ...common,
    method: 'GET',
    path: '/api/admin/audit',
    limit: 'look',
    summary: 'List the audit, newest first. Administrators only',
    query: AuditQuery,
    replies: { 200: Success.extend({ entries: z.array(AuditEntry), next_cursor: NextCursor }) },
    errors: [...listErrors, 'rate_limited'],
  },
  exportAudit: {
    ...common,
    method: 'GET',
    path: '/api/admin/audit/export',
    limit: 'look',
    summary: 'Take the audit as a file, newest first: JSON line by line, or CSV. Administrators only',
    query: AuditExportQuery,
    replies: {},
    bytes: ['application/x-ndjson', 'text/csv'],
    errors: [...listErrors, 'rate_limited'],
  },
} as const satisfies Record<string, Route>;
