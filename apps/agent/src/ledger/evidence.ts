import { extname } from 'node:path';
import type { Acted } from '@pilothouse/bus';
import type { Json, Observation, Overlay, Step } from '@pilothouse/contract';
import {
  type Append,
  newId,
  type StepRow,
  type Store,
  stepIdOf,
  type TaskRow,
  type Tx,
  titleOf,
} from '@pilothouse/store';

/** What a step brought to light, its bytes already put where they stay: rows that point to nothing would be worse. */
export type Evidence = {
  acted: Acted;
  picture: { id: string; blobKey: string; byteLen: number } | null;
  file: { id: string; name: string; blobKey: string; byteLen: number } | null;
};
type Of = { task: TaskRow; line: StepRow; step: Step };
type Seen = Omit<Observation, 'seq' | 'recorded_at' | 'task_id' | 'step_id' | 'url' | 'title'> & {
  blob_key: string | null;
  file_id?: string;
};

/** Writes down what was seen, read and brought home at a step, in the transaction that ends it. */
export function createEvidence(store: Store) {
  async function observe(tx: Tx, append: Append, { task, line }: Of, { after }: Acted, seen: Seen) {
    const { blob_key, file_id, ...told } = seen;
    const of = { task_id: task.id, step_id: stepIdOf(line.index), url: after.url, title: after.title };
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
  }

  async function addPicture(tx: Tx, append: Append, of: Of, { acted, picture }: Evidence): Promise<void> {
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
      step_id: stepIdOf(of.line.index),
    });
  }

  async function addFile(tx: Tx, append: Append, of: Of, { acted, file }: Evidence): Promise<void> {
    if (!file) return;
    const { id, name, blobKey, byteLen } = file;
    const content_type = typeOf(name);
    await store.files.add(tx, {
      id,
      task_id: of.task.id,
      name,
      content_type,
      byte_len: byteLen,
      blob_key: blobKey,
    });
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
    async add(tx: Tx, append: Append, of: Of, evidence: Evidence): Promise<void> {
      const { acted } = evidence;
      const taskId = of.task.id;
      await append({ taskId, kind: 'overlay', data: { overlay: overlayOf(of, acted) } });
      await addPicture(tx, append, of, evidence);
      if (of.step.action === 'extract') {
        await observe(tx, append, of, acted, {
          observation_id: newId(),
          kind: 'extract',
          summary: of.step.as,
          // Made storable where it came in.
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

function overlayOf({ task, line, step }: Of, { bbox, point }: Acted): Omit<Overlay, 'seq' | 'recorded_at'> {
  const kinds = { navigate: 'navigate', click: 'click', type: 'type', scroll: 'scroll' } as const;
  return {
    overlay_id: newId(),
    session_id: task.session_id,
    task_id: task.id,
    step_id: stepIdOf(line.index),
    source: 'execution',
    kind: step.action in kinds ? kinds[step.action as keyof typeof kinds] : bbox ? 'box' : 'note',
    label: titleOf(step),
    bbox,
    point,
    data: {},
  };
}

/** By its name: what a page says of a file is no better. */
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
