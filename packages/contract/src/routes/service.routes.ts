// Routes of health, readiness and OpenAPI.

import type { Route } from '../types/route.ts';
import { Capabilities } from './capabilities.ts';
import { HealthReply, OpenApiDocument, ReadyReply } from './service.ts';

const common = { method: 'GET', access: 'public', origin: 'extension', area: 'service', errors: [] } as const;

export const serviceRoutes = {
  getHealth: {
    ...common,
    path: '/api/health',
    summary: 'Check that the process is alive',
    replies: { 200: HealthReply },
  },
  getReady: {
    ...common,
    path: '/api/ready',
    summary: 'Check that the process can do its work',
    replies: { 200: ReadyReply },
  },
  getCapabilities: {
    ...common,
    path: '/api/capabilities',
    access: 'anyone',
    summary: 'Read what this server offers; with a login also the limits and quotas of the caller',
    replies: { 200: Capabilities },
    errors: ['token_invalid', 'token_expired'],
  },
  getOpenApi: {
    ...common,
    path: '/api/openapi.json',
    summary: 'Read the API as OpenAPI',
    replies: { 200: OpenApiDocument },
  },
} as const satisfies Record<string, Route>;
