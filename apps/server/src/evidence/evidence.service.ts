// The evidence of a task, for those who may read the task. That it was taken is written to the audit before the first byte.

import { AppError, type EvidenceKey } from '@pilothouse/contract';
import { type EvidenceSigner, formatName, formatVersion, type NewRecord, writeBundle } from '@pilothouse/evidence';
import type { Caller, Store } from '@pilothouse/store';
import type { From } from '../http/call.ts';
import { createVisibleTask } from '../tasks/visible-task.ts';
import type { Draft, Source } from './drafts.ts';
import { mergeByTime } from './merge.ts';
import { withPictures } from './pictures.ts';
import { recordKinds } from './record-kinds.ts';
import { outcomeRecord, stateOf, taskRecord } from './task.records.ts';

type Options = { store: Store; signers: readonly EvidenceSigner[] };

const noKey = 'This server signs no evidence: neither EVIDENCE_KEY nor PROFILE_KEY is set.';

export function createEvidenceService({ store, signers }: Options) {
  const requireTask = createVisibleTask(store);

  const peopleOf: Source['peopleOf'] = async (ids) => {
    const names = ids.length > 0 ? await store.evidence.namesOf(ids) : new Map<string, string>();
    return (id) => ({ id, name: names.get(id) ?? null });
  };

  return {
    /** The name of the file, and what writes its lines until the signal ends. Refuses before anything is written. */
    async take(caller: Caller, id: string, { address }: From) {
      const task = await requireTask(caller, id);
      const [signer] = signers;
      if (!signer) throw new AppError('conflict', { detail: noKey });
      const madeAt = await store.evidence.now();
      const { id: taskId, session_id, title, status, created_by: userId } = task;
      const head = {
        format: formatName,
        version: formatVersion,
        task: { id: taskId, session_id, title, status },
        state: stateOf(task),
        made_at: madeAt.toISOString(),
        made_for: (await peopleOf([caller.id]))(caller.id),
      } as const;
      const source = { store, task, madeAt, peopleOf };
      return {
        fileName: `evidence-${taskId}.ndjson`,
        async *write(signal: AbortSignal) {
          const actorId = userId === caller.id ? null : caller.id;
          const data = { task_id: taskId, key_id: signer.keyId };
          await store.audit.add({ event: 'evidence_taken', outcome: 'success', userId, actorId, address, data });
          yield* writeBundle(head, recordsOf(source), { signer, signal });
        },
      };
    },

    keys: (): EvidenceKey[] =>
      signers.map(({ keyId, publicKey }, index) => ({
        key_id: keyId,
        algorithm: 'Ed25519',
        public_key: publicKey,
        signs: index === 0,
      })),
  };
}
export type EvidenceService = ReturnType<typeof createEvidenceService>;

const recordsOf = (source: Source): AsyncIterable<NewRecord> => withPictures(draftsOf(source), source.store.blobs);

async function* draftsOf(source: Source): AsyncGenerator<Draft> {
  yield await taskRecord(source);
  yield* mergeByTime(recordKinds.map((kind) => kind(source)));
  yield outcomeRecord(source);
}
