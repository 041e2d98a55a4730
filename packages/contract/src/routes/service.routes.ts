import type { Route } from './route.ts';
import { HealthReply, OpenApiDocument, ReadyReply } from './service.ts';

const common = { method: 'GET', access: 'public', origin: 'extension', area: 'service', errors: [] } as const;

export const serviceRoutes = {
  getHealth: {
    ...common,
    path: '/api/health',
    summary: 'Tell whether the process lives',
    replies: { 200: HealthReply },
  },
  getReady: { ...common, path: '/api/ready', summary: 'Tell whether it can do its work', replies: { 200: ReadyReply } },
  getOpenApi: {
    ...common,
    path: '/api/openapi.json',
    summary: 'Read the interface as OpenAPI',
    replies: { 200: OpenApiDocument },
  },
} as const satisfies Record<string, Route>;
