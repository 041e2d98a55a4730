// Writes the evidence of a step in the transaction that ends it: overlay, picture, extracted data, file, route.

import { extname } from 'node:path';
import type { Acted } from '@pilothouse/bus';
import type { Json, Overlay } from '@pilothouse/contract';
import { type Append, newId, type Store, stepIdOf, type Tx, titleOf } from '@pilothouse/store';
import { createObservations, type ObservedStep } from './observations.ts';

/** The result of a step. The bytes of its picture and file are stored already. */
export type Evidence = {
  acted: Acted;
  picture: { id: string; blobKey: string; byteLen: number } | null;
  file: { id: string; name: string; blobKey: string; byteLen: number } | null;
};
export function createEvidence(store: Store, { fileBytesPerUser }: { fileBytesPerUser: number }) {
  const observe = createObservations(store);

  async function addPicture(tx: Tx, append: Append, of: ObservedStep, { acted, picture }: Evidence): Promise<void> {
    if (!acted.picture || !picture) return;
    const { content_type, width, height, device_scale, route, private: isPrivate } = acted.picture;
    const { id, blobKey, byteLen } = picture;
    const { task } = of;
    const path = `/api/tasks/${task.id}/observations/${id}/image`;
    const { seq, recordedAt } = await observe(tx, append, of, acted, {
      observation_id: id,
      kind: 'screenshot',
      summary: titleOf(of.step),
      data: null,
      artifact: { content_type, byte_len: byteLen, width, height, path },
      blob_key: blobKey,
    });
    await store.frames.put(tx, {
      session_id: task.session_id,
      frame_id: id,
      task_id: task.id,
      seq,
      recorded_at: recordedAt,
      content_type,
      width,
      height,
      device_scale,
      route: JSON.stringify(route),
      private: isPrivate,
      blob_key: blobKey,
      byte_len: byteLen,
      step_id: stepIdOf(of.attempt.index),
    });
  }

  async function addFile(tx: Tx, append: Append, of: ObservedStep, { acted, file }: Evidence): Promise<void> {
    if (!file) return;
    const { id, name, blobKey, byteLen } = file;
    const content_type = typeOf(name);
    const row = { id, task_id: of.task.id, name, content_type, byte_len: byteLen, blob_key: blobKey };
    if (!(await store.files.add(tx, row, fileBytesPerUser))) throw new FileQuotaExceeded(fileBytesPerUser);
    const path = `/api/tasks/${of.task.id}/files/${id}`;
    await observe(tx, append, of, acted, {
      observation_id: newId(),
      kind: 'download',
      summary: name,
      data: null,
      artifact: { content_type, byte_len: byteLen, width: null, height: null, path },
      blob_key: blobKey,
      file_id: id,
    });
  }

  return {
    async add(tx: Tx, append: Append, of: ObservedStep, evidence: Evidence): Promise<void> {
      const { acted } = evidence;
      const taskId = of.task.id;
      await append({ taskId, kind: 'overlay', data: { overlay: overlayOf(of, acted) } });
      await addPicture(tx, append, of, evidence);
      if (of.step.action === 'extract') {
        await observe(tx, append, of, acted, {
          observation_id: newId(),
          kind: 'extract',
          summary: of.step.as,
          // `outcome.ts` made it storable.
          data: (acted.data ?? null) as Json,
          artifact: null,
          blob_key: null,
        });
      }
      await addFile(tx, append, of, evidence);
      if (acted.after.url !== acted.before.url && acted.picture) {
        const { route } = acted.picture;
        await append({ taskId, kind: 'route', data: { route, pages: [route] } });
      }
    },
  };
}

/** The user's files would exceed their quota. Thrown inside a transaction, it rolls the transaction back. */
export class FileQuotaExceeded extends Error {
  override name = 'FileQuotaExceeded';
  constructor(bytesPerUser: number) {
    const limit = `${Math.floor(bytesPerUser / 1024 ** 2)} MB`;
    super(`With this file the user would exceed the quota of ${limit} for files (QUOTA_FILE_MB_PER_USER)`);
  }
}

function overlayOf(
  { task, attempt, step }: ObservedStep,
  { bbox, point }: Acted,
): Omit<Overlay, 'seq' | 'recorded_at'> {
  const kinds = { navigate: 'navigate', click: 'click', type: 'type', scroll: 'scroll' } as const;
  return {
    overlay_id: newId(),
    session_id: task.session_id,
    task_id: task.id,
    step_id: stepIdOf(attempt.index),
    source: 'execution',
    kind: step.action in kinds ? kinds[step.action as keyof typeof kinds] : bbox ? 'box' : 'note',
    label: titleOf(step),
    bbox,
    point,
    data: {},
  };
}

/** By the name: the content type that a page claims is no more reliable. */
const typeOf = (name: string) => types[extname(name).toLowerCase()] ?? 'application/octet-stream';
const types: Record<string, string> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};
