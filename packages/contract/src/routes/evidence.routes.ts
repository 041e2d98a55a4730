// Routes of the evidence of a task, and of the keys that sign it.

import { z } from 'zod';
import { EvidenceKey, EvidenceLine } from '../tasks/evidence.ts';
import { IdParam } from '../types/id.ts';
import { loginErrors, type Route, Success } from '../types/route.ts';

export const evidenceRoutes = {
  getTaskEvidence: {
    method: 'GET',
    path: '/api/tasks/:id/evidence',
    access: 'user',
    origin: 'extension',
    area: 'tasks',
    limit: 'look',
    summary:
      'Take the evidence of a task: everything that is recorded of it, chained by hashes and signed, line by line',
    params: z.object({ id: IdParam }),
    replies: {},
    bytes: ['application/x-ndjson'],
    lines: EvidenceLine,
    errors: [...loginErrors, 'not_found', 'conflict', 'rate_limited'],
  },
  listEvidenceKeys: {
    method: 'GET',
    path: '/api/evidence/key',
    access: 'public',
    origin: 'extension',
    area: 'service',
    summary: 'Read the public keys that evidence is signed with, the one of today first',
    replies: { 200: Success.extend({ keys: z.array(EvidenceKey) }) },
    errors: [],
  },
} as const satisfies Record<string, Route>;
