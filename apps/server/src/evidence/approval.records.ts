// Records of approvals: what people were asked to say yes to, what they said, and whether it was used.

import type { JsonObject } from '@pilothouse/contract';
import { type ApprovalRow, stepIdOf } from '@pilothouse/store';
import type { RecordKind } from './drafts.ts';

export const approvalRecords: RecordKind = async function* ({ store, task, peopleOf }) {
  // A task asks for few of them: the number of its steps is the limit.
  const rows = await store.approvals.of(task.id);
  const nameOf = await peopleOf(rows.flatMap(({ answered_by }) => answered_by ?? []));
  for (const row of rows)
    yield {
      kind: 'approval',
      at: row.asked_at,
      body: bodyOf(row, row.answered_by === null ? null : nameOf(row.answered_by)),
    };
};

const bodyOf = (row: ApprovalRow, answered_by: { id: string; name: string | null } | null) => ({
  approval_id: row.id,
  step_id: stepIdOf(row.step_index),
  class: row.class,
  site: row.site,
  // Written by us, as an object.
  act: row.facts as JsonObject,
  fingerprint: row.fingerprint,
  asked_at: row.asked_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  answer: row.answer,
  answered_at: row.answered_at?.toISOString() ?? null,
  answered_by,
  used_at: row.used_at?.toISOString() ?? null,
});
