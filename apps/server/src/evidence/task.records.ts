// Records of the task itself: what was asked, its files, its executions, and how it ended.

import { createHash } from 'node:crypto';
import { isTerminal, type TaskResult } from '@pilothouse/contract';
import { planItemsOf, questionOf, type Store } from '@pilothouse/store';
import { viewExecution, viewTask } from '../tasks/tasks.view.ts';
import type { Draft, RecordKind, Source } from './drafts.ts';

export async function taskRecord({ task, peopleOf }: Source): Promise<Draft> {
  const { result: _, ...asked } = viewTask(task);
  const creator = (await peopleOf([task.created_by]))(task.created_by);
  const agreed = { plan_items: planItemsOf(task), plan_agreed_at: task.plan_agreed_at?.toISOString() ?? null };
  return { kind: 'task', at: task.created_at, body: { ...asked, ...agreed, created_by: creator } };
}

export const stateOf = ({ status }: Source['task']) => (isTerminal(status) ? 'finished' : 'running');

export function outcomeRecord({ task, madeAt }: Source): Draft {
  const { status, last_error, model_calls, input_tokens, cached_tokens, output_tokens, cost_micros } = task;
  return {
    kind: 'outcome',
    at: task.finished_at ?? madeAt,
    body: {
      state: stateOf(task),
      status,
      started_at: task.started_at?.toISOString() ?? null,
      finished_at: task.finished_at?.toISOString() ?? null,
      last_error,
      // Written by us, in the shape of the contract.
      result: task.result as TaskResult | null,
      open_question: questionOf(task),
      cost: { model_calls, input_tokens, cached_tokens, output_tokens, cost_micros },
    },
  };
}

export const executionRecords: RecordKind = async function* ({ store, task }) {
  for (const row of await store.executions.listOf(task.id)) {
    const { steps: _, ...body } = viewExecution(row, task, []);
    yield { kind: 'execution', at: row.started_at, body };
  }
};

export const fileRecords: RecordKind = async function* ({ store, task }) {
  for (const row of await store.files.listOf(task.id)) {
    const { id, name, content_type, byte_len, blob_key, retention } = row;
    const sha256 = retention === 'kept' ? await hashOf(store.blobs, blob_key) : null;
    yield { kind: 'file', at: row.created_at, body: { file_id: id, name, content_type, byte_len, sha256 } };
  }
};

/** Read in pieces; null if the file is not there any more. */
async function hashOf(blobs: Store['blobs'], key: string): Promise<string | null> {
  if ((await blobs.sizeOf(key)) === undefined) return null;
  const hash = createHash('sha256');
  for await (const piece of blobs.read(key)) hash.update(piece);
  return hash.digest('hex');
}
