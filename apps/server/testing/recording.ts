// Frames and overlays that tests add to a recording.

import type { Overlay } from '@pilothouse/contract';
import { blobsOf, newId, type Store, type TaskRow } from '@pilothouse/store';

type TaskRef = Pick<TaskRow, 'id' | 'session_id'>;
type FrameOptions = { image?: Buffer; isPrivate?: boolean; stepId?: string };

/** Adds a frame to the recording of the task's session, and returns its id. */
export async function makeFrame(store: Store, task: TaskRef, options: FrameOptions = {}): Promise<string> {
  const { image, isPrivate = false, stepId } = options;
  const frameId = newId();
  const { session_id } = task;
  const key = `${blobsOf(session_id)}/${frameId}.jpeg`;
  if (image) await store.blobs.put(key, image);
  const route = { session: session_id, page: 'p1', frame: null, url: 'http://shop.test/', title: 'Shop' };
  await store.change(session_id, async (tx) => {
    // Behind the last event of the log, as between two steps.
    const { rows } = await tx.client.query<{ seq: number; at: Date }>(
      `select last_seq as seq, date_trunc('milliseconds', clock_timestamp()) as at from session_seq where session_id = $1`,
      [session_id],
    );
    if (!rows[0]) throw new Error('no such session');
    await store.frames.put(tx, {
      session_id,
      frame_id: frameId,
      task_id: task.id,
      step_id: stepId,
      seq: rows[0].seq,
      recorded_at: rows[0].at,
      content_type: 'image/jpeg',
      width: 1280,
      height: 720,
      device_scale: 1,
      route: JSON.stringify(route),
      private: isPrivate,
      blob_key: key,
      byte_len: image?.length ?? 0,
    });
  });
  return frameId;
}

/** Adds an overlay, and returns its id. */
export async function makeOverlay(store: Store, { id, session_id }: TaskRef): Promise<string> {
  const overlay: Omit<Overlay, 'seq' | 'recorded_at'> = {
    overlay_id: newId(),
    session_id,
    task_id: id,
    step_id: 'step-1',
    source: 'execution',
    kind: 'click',
    label: 'Click Buy',
    bbox: null,
    point: { x: 1, y: 2 },
    data: {},
  };
  await store.change(session_id, (_tx, append) => append({ taskId: id, kind: 'overlay', data: { overlay } }));
  return overlay.overlay_id;
}
