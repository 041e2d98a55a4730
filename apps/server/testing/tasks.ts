// Tasks and observations that tests make without an agent.

import { type Caller, newId, progressOf, type Store, type TaskRow, type Tx } from '@pilothouse/store';

type TaskOptions = { owner: Caller; creator?: Caller; sessionId?: string };

export const plan = {
  steps: [
    { action: 'navigate', url: 'http://shop.test/' },
    { action: 'click', target: 'Buy', title: 'Buy it' },
    { action: 'screenshot' },
  ],
};
export const settings = {
  planner: 'auto',
  model: null,
  current_url: null,
  constraints: [],
  allowed_domains: null,
  output_schema: null,
  max_steps: 40,
  time_limit_secs: 1800,
};

/** A task that no agent has, in a session of its own unless one is named. */
export async function makeTask(store: Store, { owner, creator = owner, sessionId }: TaskOptions): Promise<TaskRow> {
  const session = sessionId ?? newId();
  return store.change(session, async (tx, append) => {
    if (!sessionId) await store.sessions.create(tx, owner, { id: session, viewport: { width: 800, height: 600 } });
    const about = { title: 'A lantern', prompt: 'Buy a lantern', plan, settings, totalSteps: plan.steps.length };
    const task = await store.tasks.create(tx, creator, { id: newId(), sessionId: session, ...about });
    await append({ taskId: task.id, kind: 'status', data: { status: progressOf(task) } });
    return task;
  });
}

export type ObservationOptions = {
  kind?: 'screenshot' | 'page' | 'extract' | 'download';
  image?: Buffer;
  contentType?: string;
  /** The length in the row, if it should differ from the real one. */
  byteLen?: number;
  fileId?: string;
};

/** Adds an observation to the task, and returns its id. */
export async function makeObservation(store: Store, task: TaskRow, options: ObservationOptions = {}): Promise<string> {
  const { kind = 'screenshot', image, contentType = 'image/png', byteLen = image?.length, fileId } = options;
  const id = newId();
  const key = `sessions/${task.session_id}/${id}`;
  if (image) await store.blobs.put(key, image);
  const artifact = image && { blob_key: key, content_type: contentType, byte_len: byteLen, width: 1, height: 1 };
  await store.change(task.session_id, async (tx, append) => {
    const { seq, recordedAt } = await append({ taskId: task.id, kind: 'test', data: {} });
    const about = { id, task_id: task.id, step_id: 'step-1', seq, recorded_at: recordedAt, kind, file_id: fileId };
    await store.observations.add(tx, { ...about, ...artifact });
  });
  return id;
}

type Shown = { number?: number; view: string | null; url?: string; pictureKey?: string; pictureType?: string };

/** A decision that called no tool, as an agent would have written it. */
export async function makeDecision({ client }: Tx, taskId: string, shown: Shown): Promise<void> {
  const { number = 1, view, url = null, pictureKey = null, pictureType = null } = shown;
  await client.query(
    `insert into decisions (task_id, number, call_number, first_step, last_step, actions, url, view, picture_key,
       picture_type, read_messages, status)
     values ($1, $2, $2, 1, 0, '{"version": 1, "calls": []}', $3, $4, $5, $6, 0, 'done')`,
    [taskId, number, url, view, pictureKey, pictureType],
  );
}
