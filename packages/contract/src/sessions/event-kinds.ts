// The kinds of events. Loaded by browsers: imports only types.

import type { InboxEvent, LiveEvent, LoggedLiveKind, LoggedTaskKind, TaskEvent } from './events.ts';

/** The kinds that are in the log: they carry an id, and no viewer ever skips one. */
export const loggedTaskKinds = [
  'status',
  'log',
  'step',
  'observation',
  'overlay',
  'agent_history',
  'message_state',
  'takeover',
  'result',
] as const satisfies LoggedTaskKind[];

export const loggedLiveKinds = [
  'status',
  'overlay',
  'route',
  'task',
  'takeover',
  'message_state',
] as const satisfies LoggedLiveKind[];

export const passingTaskKinds = ['end', 'reset'] as const satisfies Exclude<TaskEvent['type'], LoggedTaskKind>[];

export const inboxKinds = ['inbox', 'reset'] as const satisfies InboxEvent['type'][];

export const passingLiveKinds = [
  'snapshot',
  'frame',
  'viewers',
  'pages',
  'driver_view',
  'copied',
  'reset',
] as const satisfies Exclude<LiveEvent['type'], LoggedLiveKind>[];
