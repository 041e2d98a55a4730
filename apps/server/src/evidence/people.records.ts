// Records of people: questions with who answered them, words that were written to the task, and takeovers. What a person
// did or saw while they drove is not recorded, and is not here.

import type { BrowserRoute } from '@pilothouse/contract';
import { answersOf, type TakeoverRow } from '@pilothouse/store';
import { inPages, pageRows, type RecordKind } from './drafts.ts';

/** Those that were settled. One that stands is part of the outcome. */
export const questionRecords: RecordKind = async function* ({ task, peopleOf }) {
  const answers = answersOf(task);
  const nameOf = await peopleOf(answers.flatMap(({ answered_by }) => answered_by ?? []));
  for (const { step_id, question, asked_at, text, answered_at, answered_by } of answers)
    yield {
      kind: 'question',
      at: new Date(asked_at),
      body: {
        ...{ step_id, question, asked_at, answer: text, answered_at },
        answered_by: answered_by ? nameOf(answered_by) : null,
      },
    };
};

export const messageRecords: RecordKind = async function* ({ store, task, peopleOf }) {
  // A task takes few of them.
  const rows = await store.taskMessages.of(task.id);
  const nameOf = await peopleOf(rows.map(({ author_id }) => author_id));
  for (const { number, text, author_id, recorded_at } of rows)
    yield { kind: 'message', at: recorded_at, body: { number, text, author: nameOf(author_id) } };
};

export const takeoverRecords: RecordKind = async function* ({ store, task, peopleOf }) {
  const pages = inPages<TakeoverRow>((last) => store.evidence.takeovers(task.id, last?.id ?? null, pageRows));
  for await (const rows of pages) {
    const nameOf = await peopleOf(rows.map(({ holder_id }) => holder_id));
    for (const row of rows) yield { kind: 'takeover', at: row.requested_at, body: bodyOf(row, nameOf(row.holder_id)) };
  }
};

/** Field by field: the hash of the token stays out. */
const bodyOf = (row: TakeoverRow, now: { id: string; name: string | null }) => ({
  takeover_id: row.id,
  status: row.status,
  // The name that they had then.
  holder: { id: now.id, name: row.holder_name ?? now.name },
  requested_by: row.requested_by,
  reason: row.reason,
  requested_at: row.requested_at.toISOString(),
  activated_at: row.activated_at?.toISOString() ?? null,
  returned_at: row.returned_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
  outcome: row.outcome,
  note: row.note,
  // Written by us, in the shape of the contract.
  route: row.route as BrowserRoute | null,
  url_after: row.url_after,
});
