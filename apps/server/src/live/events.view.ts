// Events of the log as the streams show them.

import { loggedLiveKinds, loggedTaskKinds } from '@pilothouse/contract';
import type { StoredEvent } from '@pilothouse/store';

export type WireEvent = {
  type: string;
  seq: number;
  session_id: string;
  recorded_at: string;
  [field: string]: unknown;
};

/** Undefined for kinds that only the stream of the session has. */
export function viewTaskEvent(event: StoredEvent): WireEvent | undefined {
  if (!loggedTaskKinds.some((kind) => kind === event.kind)) return undefined;
  return { ...wireOf(event), task_id: event.task_id };
}

/** Undefined for kinds that only the stream of the task has. */
export function viewLiveEvent(event: StoredEvent): WireEvent | undefined {
  // In the stream of a session, `status` is that of the session and `task` that of a task.
  const type = event.kind === 'status' && event.task_id ? 'task' : event.kind;
  if (!loggedLiveKinds.some((kind) => kind === type)) return undefined;
  const { task_id } = event;
  return type === 'status' ? wireOf(event) : { ...wireOf(event), type, task_id };
}

/** Some kinds carry their own place in the log, which was not known when the row was written. */
function wireOf({ kind, seq, session_id, recorded_at, data }: StoredEvent): WireEvent {
  const position = { seq, recorded_at: recorded_at.toISOString() };
  return { type: kind, session_id, ...position, ...data, ...withPosition(kind, data[kind], position) };
}

function withPosition(kind: string, value: unknown, { seq, recorded_at }: { seq: number; recorded_at: string }) {
  if (kind === 'overlay' || kind === 'observation') return { [kind]: { ...(value as object), seq, recorded_at } };
  return kind === 'log' ? { log: { ...(value as object), seq, timestamp: recorded_at } } : {};
}
