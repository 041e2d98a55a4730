// A picture after what a program did, at most one in two seconds, in the same tables as the pictures after the steps of agents. A
// page that only its driver may see is not kept.

import type { HostClient } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import { newId, type StepRow, type Store, stepIdOf, type TaskRow } from '@pilothouse/store';

const everyMs = 2000;
const lookMs = 2000;

type Recorded = { task: TaskRow; attempt: StepRow };
type Options = { store: Store; hosts: Pick<HostClient, 'look'>; log: Log; sessionId: string };

export function createActPictures({ store, hosts, log, sessionId }: Options) {
  let due: { recorded: Recorded; hostId: string } | undefined;
  let taking: Promise<void> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  async function take({ recorded: { task, attempt }, hostId }: NonNullable<typeof due>): Promise<void> {
    const seen = await hosts.look({ hostId, sessionId }, { timeoutMs: lookMs });
    if (seen.type !== 'done' || seen.reply.picture.private || seen.reply.image.length === 0) return;
    const { picture, image } = seen.reply;
    const id = newId();
    const blobKey = `sessions/${sessionId}/${id}.${picture.content_type.slice('image/'.length)}`;
    // Before the transaction: bytes without a row do no harm, a row without bytes would.
    await store.blobs.put(blobKey, image);
    const { content_type, width, height, device_scale, route } = picture;
    const artifact = { content_type, byte_len: image.length, width, height };
    await store.change(sessionId, async (tx, append) => {
      const path = `/api/tasks/${task.id}/observations/${id}/image`;
      const of = { task_id: task.id, step_id: stepIdOf(attempt.index), url: route.url, title: route.title };
      const told = { kind: 'screenshot' as const, summary: task.current_step_title, data: null };
      const observation = { ...of, ...told, observation_id: id, artifact: { ...artifact, path } };
      const { seq, recordedAt } = await append({ taskId: task.id, kind: 'observation', data: { observation } });
      const at = { seq, recorded_at: recordedAt, blob_key: blobKey };
      await store.observations.add(tx, { ...of, ...told, ...artifact, ...at, id, file_id: null });
      const frame = { session_id: sessionId, frame_id: id, task_id: task.id, step_id: of.step_id };
      await store.frames.put(tx, { ...frame, ...artifact, ...at, device_scale, route: JSON.stringify(route) });
      await append({ taskId: task.id, kind: 'route', data: { route, pages: [route] } });
    });
  }

  function start(): void {
    const next = due;
    due = undefined;
    timer = undefined;
    if (!next) return;
    lastAt = performance.now();
    taking = take(next)
      .catch((error) => log.debug({ err: error, session_id: sessionId }, 'no picture after what a program did'))
      .finally(() => {
        taking = undefined;
      });
  }

  return {
    /** Soon: acts that come meanwhile share it. */
    after(recorded: Recorded, hostId: string): void {
      due = { recorded, hostId };
      timer ??= setTimeout(start, Math.max(0, lastAt + everyMs - performance.now()));
    },
    /** The last picture is taken at once, while the browser is there. */
    async close(): Promise<void> {
      clearTimeout(timer);
      await taking;
      start();
      await taking;
    },
  };
}
