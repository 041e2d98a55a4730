// Routes of secrets. They are written and never read: an answer has the name and the origins.

import { z } from 'zod';
import { PutSecretRequest, Secret, SecretName } from '../sessions/secret.ts';
import { bodyErrors, bodyLimits, loginErrors, type Route, Success } from '../types/route.ts';

const params = z.object({ name: SecretName });

export const secretRoutes = {
  listSecrets: {
    method: 'GET',
    path: '/api/secrets',
    access: 'user',
    origin: 'extension',
    area: 'secrets',
    summary: 'List the names of secrets and the origins where each may be typed, by name',
    replies: { 200: Success.extend({ secrets: z.array(Secret) }) },
    errors: loginErrors,
  },
  putSecret: {
    method: 'PUT',
    path: '/api/secrets/:name',
    access: 'user',
    origin: 'extension',
    area: 'secrets',
    limit: 'write',
    summary: 'Write a secret under a name, with the origins where it may be typed; it can never be read',
    params,
    body: PutSecretRequest,
    bodyLimitBytes: bodyLimits.other,
    replies: { 200: Success.extend({ secret: Secret }) },
    errors: [...loginErrors, ...bodyErrors, 'not_found', 'conflict', 'quota_exceeded', 'rate_limited'],
  },
  deleteSecret: {
    method: 'DELETE',
    path: '/api/secrets/:name',
    access: 'user',
    origin: 'extension',
    area: 'secrets',
    limit: 'write',
    summary: 'Remove a secret',
    params,
    replies: { 200: Success },
    errors: [...loginErrors, 'not_found', 'rate_limited'],
  },
} as const satisfies Record<string, Route>;
