// Routes of invitations, for administrators.

import { z } from 'zod';
import { IdParam } from '../types/id.ts';
import { NextCursor, Page } from '../types/query.ts';
import { bodyErrors, bodyLimits, loginErrors, noContent, type Route, Success } from '../types/route.ts';
import { CreateInviteRequest, Invite, NewInvite } from './auth.ts';

export const inviteRoutes = {
  createInvite: {
    method: 'POST',
    path: '/api/invites',
    access: 'user',
    origin: 'extension',
    area: 'auth',
    limit: 'write',
    summary: 'Invite one person to register; the token is shown once. Administrators only',
    body: CreateInviteRequest.prefault({}),
    bodyLimitBytes: bodyLimits.auth,
    replies: { 200: Success.extend({ invite: NewInvite }) },
    errors: [...loginErrors, ...bodyErrors, 'forbidden', 'conflict', 'rate_limited'],
  },
  listInvites: {
    method: 'GET',
    path: '/api/invites',
    access: 'user',
    origin: 'extension',
    area: 'auth',
    summary: 'List invitations, newest first. Administrators only',
    query: Page,
    replies: { 200: Success.extend({ invites: z.array(Invite), next_cursor: NextCursor }) },
    errors: [...loginErrors, 'validation_failed', 'forbidden'],
  },
  deleteInvite: {
    method: 'DELETE',
    path: '/api/invites/:id',
    access: 'user',
    origin: 'extension',
    area: 'auth',
    limit: 'write',
    summary: 'Withdraw an invitation that nobody has used. Administrators only',
    params: z.object({ id: IdParam }),
    replies: { 204: noContent },
    errors: [...loginErrors, 'not_found', 'forbidden', 'rate_limited'],
  },
} as const satisfies Record<string, Route>;
