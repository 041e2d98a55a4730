// Routes of a login in a browser, which holds the refresh token in a cookie that no script can read.

import { z } from 'zod';
import { bodyErrors, bodyLimits, noContent, type Route } from '../types/route.ts';
import { ConsoleTokenReply, LoginRequest } from './auth.ts';

/** A page of another origin cannot send this header without asking the server, which never allows it. */
const headers = z.object({ 'x-pilothouse-console': z.literal('1') });

const common = { method: 'POST', access: 'public', origin: 'extension', area: 'auth', headers } as const;

export const consoleLoginRoutes = {
  consoleLogin: {
    ...common,
    path: '/api/auth/console/login',
    summary: 'Log in from a page; the refresh token is set as a cookie',
    body: LoginRequest,
    bodyLimitBytes: bodyLimits.auth,
    replies: { 200: ConsoleTokenReply },
    errors: [...bodyErrors, 'invalid_credentials', 'rate_limited'],
  },
  consoleRefresh: {
    ...common,
    path: '/api/auth/console/refresh',
    summary: 'Exchange the refresh token in the cookie for a new access token and a new cookie',
    replies: { 200: ConsoleTokenReply },
    errors: ['validation_failed', 'token_missing', 'token_invalid', 'token_expired', 'rate_limited'],
  },
  consoleLogout: {
    ...common,
    path: '/api/auth/console/logout',
    summary: 'End the login of the cookie, and remove the cookie; also succeeds without one',
    replies: { 204: noContent },
    errors: ['validation_failed', 'rate_limited'],
  },
} as const satisfies Record<string, Route>;
