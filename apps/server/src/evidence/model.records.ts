// Records of models: each call with what it used, and each decision with what the model was shown.

import type { ModelCallRow } from '@pilothouse/store';
import { viewDecision } from '../tasks/tasks.view.ts';
import { inPages, pageRows, type RecordKind } from './drafts.ts';

export const decisionRecords: RecordKind = async function* ({ store, task }) {
  let cursor: string | undefined;
  do {
    const { rows, nextCursor } = await store.decisions.listOf(task.id, { limit: pageRows, cursor });
    for (const row of rows) {
      // One at a time: the text of a page is long.
      const shown = await store.decisions.viewOf(task.id, row.number);
      const { picture_key: blobKey = null, picture_type: contentType = null } = shown ?? {};
      yield {
        kind: 'decision',
        at: row.decided_at,
        body: { ...viewDecision(row), shown_text: shown?.view ?? null },
        pictures: {
          shown: blobKey === null ? null : { blobKey, contentType, recordedAt: row.decided_at, isPrivate: false },
        },
      };
    }
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
};

export const modelCallRecords: RecordKind = async function* ({ store, task }) {
  const pages = inPages<ModelCallRow>((last) => store.evidence.modelCalls(task.id, last?.number ?? 0, pageRows));
  for await (const rows of pages)
    for (const row of rows) yield { kind: 'model_call', at: row.begun_at, body: bodyOf(row) };
};

const bodyOf = (row: ModelCallRow) => ({
  number: row.number,
  purpose: row.purpose,
  model: row.model,
  status: row.status,
  ended_at: row.ended_at?.toISOString() ?? null,
  input_tokens: row.input_tokens,
  cached_tokens: row.cached_tokens,
  output_tokens: row.output_tokens,
  reasoning_tokens: row.reasoning_tokens,
  cost_micros: row.cost_micros,
  error: row.error,
});
