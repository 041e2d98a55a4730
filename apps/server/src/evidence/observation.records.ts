// Records of observations: what a task saw, extracted and downloaded. A picture that recordings withhold is withheld here.

import { viewObservation } from '../tasks/tasks.view.ts';
import { pageRows, type RecordKind } from './drafts.ts';

export const observationRecords: RecordKind = async function* ({ store, task }) {
  let cursor: string | undefined;
  do {
    const { rows, nextCursor } = await store.observations.listOf(task.id, { limit: pageRows, cursor });
    // The picture of a step has the id of its observation.
    const hidden = await store.evidence.privateOf(rows.map(({ id }) => id));
    for (const row of rows) {
      const { id, blob_key: blobKey, content_type: contentType, file_id, recorded_at: recordedAt } = row;
      // A download is a file, whatever content type it claims.
      const seen = blobKey && !file_id ? { blobKey, contentType, recordedAt, isPrivate: hidden.has(id) } : null;
      yield { kind: 'observation', at: recordedAt, body: viewObservation(row), pictures: { seen } };
    }
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
};
