// Routes of health, readiness and OpenAPI.

import type { Route } from '../types/route.ts';
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
  getOpenApi: {
    ...common,
    path: '/api/openapi.json',
    summary: 'Read the API as OpenAPI',
    replies: { 200: OpenApiDocument },
  },
} as const satisfies Record<string, Route>;
