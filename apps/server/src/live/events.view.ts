import { loggedLiveKinds, loggedTaskKinds } from '@pilothouse/contract';
import type { StoredEvent } from '@pilothouse/store';

export type WireEvent = {
  type: string;
  seq: number;
  session_id: string;
  recorded_at: string;
  [field: string]: unknown;
};

/** A row of the log as the task's stream shows it; nothing, for kinds that only the session's stream has. */
export function viewTaskEvent(event: StoredEvent): WireEvent | undefined {
  if (!loggedTaskKinds.some((kind) => kind === event.kind)) return undefined;
  return { ...wireOf(event), task_id: event.task_id };
}

/** The same row as the session's stream shows it; nothing, for kinds that only the task's stream has. */
export function viewLiveEvent(event: StoredEvent): WireEvent | undefined {
  // A task's status is news of the session under another name; `status` there is the session's own.
  const type = event.kind === 'status' && event.task_id ? 'task' : event.kind;
  if (!loggedLiveKinds.some((kind) => kind === type)) return undefined;
  const { task_id } = event;
  return type === 'status' ? wireOf(event) : { ...wireOf(event), type, task_id };
}

/** What carries its own place in the log gets it here: it was not known when the row was written. */
function wireOf({ kind, seq, session_id, recorded_at, data }: StoredEvent): WireEvent {
  const place = { seq, recorded_at: recorded_at.toISOString() };
  return { type: kind, session_id, ...place, ...data, ...placed(kind, data[kind], place) };
}

function placed(kind: string, value: unknown, { seq, recorded_at }: { seq: number; recorded_at: string }) {
  if (kind === 'overlay' || kind === 'observation') return { [kind]: { ...(value as object), seq, recorded_at } };
  return kind === 'log' ? { log: { ...(value as object), seq, timestamp: recorded_at } } : {};
}
