// The routes of evidence.

import { routes } from '@pilothouse/contract';
import type { Serve } from '../http/serve.ts';
import { StreamedAnswer } from '../http/streamed-answers.ts';
import type { EvidenceService } from './evidence.service.ts';

export function evidenceRoutes(serve: Serve, evidence: EvidenceService) {
  serve(routes.getTaskEvidence, async ({ caller, params, from }) => {
    const { fileName, write } = await evidence.take(caller, params.id, from);
    const headers = { 'content-disposition': `attachment; filename="${fileName}"`, 'cache-control': 'no-store' };
    return new StreamedAnswer(write, 'application/x-ndjson', headers);
  });
  serve(routes.listEvidenceKeys, () => ({ success: true as const, keys: evidence.keys() }));
}
