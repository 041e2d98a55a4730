// Writes one observation of a step: its event, and a row at the same place in the session's log.

import type { Acted } from '@pilothouse/bus';
import type { Observation, Step } from '@pilothouse/contract';
import { type Append, type StepRow, type Store, stepIdOf, type TaskRow, type Tx } from '@pilothouse/store';

export type ObservedStep = { task: TaskRow; attempt: StepRow; step: Step };
type NewObservation = Omit<Observation, 'seq' | 'recorded_at' | 'task_id' | 'step_id' | 'url' | 'title'> & {
  blob_key: string | null;
  file_id?: string;
};

export const createObservations = (store: Store) =>
  async function observe(
    tx: Tx,
    append: Append,
    { task, attempt }: ObservedStep,
    { after }: Acted,
    seen: NewObservation,
  ) {
    const { blob_key, file_id, ...told } = seen;
    const of = { task_id: task.id, step_id: stepIdOf(attempt.index), url: after.url, title: after.title };
    const observation = { ...of, ...told };
    const { seq, recordedAt } = await append({ taskId: task.id, kind: 'observation', data: { observation } });
    const { artifact } = told;
    await store.observations.add(tx, {
      ...of,
      id: told.observation_id,
      seq,
      recorded_at: recordedAt,
      kind: told.kind,
      summary: told.summary,
      data: told.data === null ? null : JSON.stringify(told.data),
      blob_key,
      file_id: file_id ?? null,
      content_type: artifact?.content_type ?? null,
      byte_len: artifact?.byte_len ?? null,
      width: artifact?.width ?? null,
      height: artifact?.height ?? null,
    });
    return { seq, recordedAt };
  };
