// Events of sessions and tasks.

import { z } from 'zod';
import { terminalTaskStates } from '../tasks/moves.ts';
import { TaskState } from '../tasks/states.ts';
import { Takeover } from '../tasks/takeover.ts';
import {
  AgentHistory,
  ExecutionStep,
  InboxVersion,
  LogEntry,
  MessageState,
  Observation,
  TaskProgress,
  TaskResult,
} from '../tasks/task.ts';
import { BrowserRoute, Frame, OpenPage, Overlay } from '../tasks/view.ts';
import { Count } from '../types/count.ts';
import { Uuid7 } from '../types/id.ts';
import { Timestamp } from '../types/time.ts';
import { CopiedText, DriverView } from './driver-view.ts';
import { Session, Snapshot } from './session.ts';

/** An event of the session's log. Its number in the log is the id from which a stream resumes. */
const logged = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), seq: Count, session_id: Uuid7, recorded_at: Timestamp, ...shape });

/** An event that is not logged: it has no id, and may be skipped. */
const passing = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), ...shape });

/** The cursor cannot be resumed: read the status or the snapshot again, and continue from the cursor in it. */
const Reset = passing('reset', { reason: z.enum(['cursor_expired', 'cursor_unknown']) });

const task_id = Uuid7;

/** The stream of a task, from its first event to `end`. */
export const TaskEvent = z
  .discriminatedUnion('type', [
    logged('status', { task_id, status: TaskProgress }),
    logged('log', { task_id, log: LogEntry }),
    logged('step', { task_id, step: ExecutionStep }),
    logged('observation', { task_id, observation: Observation }),
    logged('overlay', { task_id, overlay: Overlay }),
    logged('agent_history', { task_id, agent_history: AgentHistory }),
    logged('message_state', { task_id, message_state: MessageState }),
    logged('takeover', { task_id, takeover: Takeover }),
    logged('result', { task_id, result: TaskResult }),
    passing('end', { task_id, status: TaskState.extract(terminalTaskStates) }),
    Reset,
  ])
  .meta({ id: 'TaskEvent' });
export type TaskEvent = z.infer<typeof TaskEvent>;

const sessionStatus = logged('status', {
  // The title only where it has changed.
  session: Session.pick({ id: true, status: true, browser: true, last_task_id: true }).extend({
    title: Session.shape.title.optional(),
  }),
});
/** The other logged events of a session, without overlays. */
const told = [
  logged('route', { route: BrowserRoute, pages: z.array(OpenPage) }),
  logged('task', { task_id, status: TaskProgress }),
  logged('takeover', { task_id: task_id.nullable(), takeover: Takeover }),
  logged('message_state', { task_id, message_state: MessageState }),
] as const;

/** The live stream of a session. Its `task` is the `status` of the task's own stream. */
export const LiveEvent = z
  .discriminatedUnion('type', [
    passing('snapshot', { snapshot: Snapshot }),
    sessionStatus,
    passing('frame', { frame: Frame }),
    logged('overlay', { task_id: task_id.nullable(), overlay: Overlay }),
    ...told,
    passing('viewers', { viewers: Count }),
    /** The open pages have changed. Empty while a person drives, for everyone else. Guests do not get it. */
    passing('pages', { pages: z.array(OpenPage) }),
    /** Only to the person who drives. Null: that person drives no longer. */
    passing('driver_view', { driver_view: DriverView.nullable() }),
    /** Only to the person who drives, once for each text. */
    passing('copied', { copied: CopiedText }),
    Reset,
  ])
  .meta({ id: 'LiveEvent' });
export type LiveEvent = z.infer<typeof LiveEvent>;

/** The events that a recording shows beside frames and overlays. */
export const RecordedEvent = z.discriminatedUnion('type', [sessionStatus, ...told]).meta({ id: 'RecordedEvent' });
export type RecordedEvent = z.infer<typeof RecordedEvent>;

/**
 * The stream of an inbox. It begins with the present state unless the cursor is of that state, and brings the newest state
 * after each change. A state that lasted for less than half a second may be skipped.
 */
export const InboxEvent = z
  .discriminatedUnion('type', [
    /** `count` is at most 1,000. `version` is also the id of the event, from which a stream resumes. */
    z.object({ type: z.literal('inbox'), count: Count, version: InboxVersion }),
    Reset,
  ])
  .meta({ id: 'InboxEvent' });
export type InboxEvent = z.infer<typeof InboxEvent>;

type KindOf<Event> = Event extends { type: infer Kind; seq: number } ? Kind : never;
export type LoggedTaskKind = KindOf<TaskEvent>;
export type LoggedLiveKind = KindOf<LiveEvent>;
