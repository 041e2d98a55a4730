// Wake-ups say "look again". A lost one costs time, never data. The events that one carries save the receiver a query,
// if it misses no others.

import { z } from 'zod';
import type { Bus } from '../transport/connect.ts';
import { json } from '../wire/codec.ts';
import { defineMessage } from '../wire/define.ts';
import { subjects } from '../wire/subjects.ts';
import { BusId, Epoch } from './heartbeat.ts';

const AnnouncedEvent = z.object({
  seq: z.int().positive(),
  task_id: BusId.nullable(),
  kind: z.string(),
  data: z.record(z.string(), z.unknown()),
  recorded_at: z.coerce.date(),
});
export const EventWakeup = z.object({
  session_id: BusId,
  seq: z.int().nonnegative(),
  /** The events of one commit, up to `seq`; absent if they are too large. */
  events: z.array(AnnouncedEvent).optional(),
});
export type EventWakeup = z.output<typeof EventWakeup>;

export const eventWakeup = defineMessage({
  name: 'event wake-up',
  lane: 'control',
  subject: subjects.sessionEvent,
  body: json(EventWakeup),
  claims: ({ session_id }) => ({ session_id }),
});

const maxAnnouncedChars = 64 * 1024;

type CommittedEvent = {
  seq: number;
  task_id: string | null;
  kind: string;
  data: Record<string, unknown>;
  recorded_at: Date;
};

/** Announces events to servers that stream the session. If it is lost, a viewer waits a second and misses no event. */
export function announceEvent(
  bus: Pick<Bus, 'publish'>,
  sessionId: string,
  seq: number,
  committed: CommittedEvent[] = [],
): void {
  // Without the session id, which the wake-up has already.
  const events = committed.map(({ seq: at, task_id, kind, data, recorded_at }) => {
    return { seq: at, task_id, kind, data, recorded_at };
  });
  const isLight = events.length > 0 && JSON.stringify(events).length <= maxAnnouncedChars;
  bus.publish(eventWakeup, { session_id: sessionId }, { session_id: sessionId, seq, ...(isLight && { events }) });
}

/** `login_id` null: every login of the user. */
export const LoginRevoked = z.object({ user_id: BusId, login_id: BusId.nullable() });
export type LoginRevoked = z.output<typeof LoginRevoked>;

export const loginRevoked = defineMessage({
  name: 'login revoked',
  lane: 'control',
  subject: subjects.loginRevoked,
  body: json(LoginRevoked),
});

/** The share was replaced or revoked: guests with an earlier token of this session have to leave. */
export const ShareRevoked = z.object({ session_id: BusId });
export type ShareRevoked = z.output<typeof ShareRevoked>;

export const shareRevoked = defineMessage({
  name: 'share revoked',
  lane: 'control',
  subject: subjects.shareRevoked,
  body: json(ShareRevoked),
});

/** It carries no data: the agent looks into the queue. */
export const WorkQueued = z.object({});
export type WorkQueued = z.output<typeof WorkQueued>;

export const workQueued = defineMessage({
  name: 'work queued',
  lane: 'control',
  subject: subjects.workQueued,
  body: json(WorkQueued),
});

/** Tells one agent to look into the queue now. If it is lost, the agent looks at its next interval. */
export function announceWork(bus: Pick<Bus, 'publish'>): void {
  bus.publish(workQueued, {}, {});
}

/** It carries no data: an agent with work in this session looks at its tasks. */
export const TaskChanged = z.object({ session_id: BusId });
export type TaskChanged = z.output<typeof TaskChanged>;

export const taskChanged = defineMessage({
  name: 'task changed',
  lane: 'control',
  subject: subjects.taskChanged,
  body: json(TaskChanged),
});

/** Tells agents what a server changed in a task or a takeover. If it is lost, they find out at their next look. */
export function announceTaskChange(
  bus: Pick<Bus, 'publish'>,
  sessionId: string,
  committed: readonly Pick<CommittedEvent, 'kind'>[],
): void {
  if (committed.some(({ kind }) => kind === 'takeover' || kind === 'status'))
    bus.publish(taskChanged, {}, { session_id: sessionId });
}

/** The browser that a server does not reach, as the row has it. */
export const SilentBrowser = z.object({ session_id: BusId, host_id: BusId, epoch: Epoch });
export type SilentBrowser = z.output<typeof SilentBrowser>;

export const browserSilent = defineMessage({
  name: 'browser silent',
  lane: 'control',
  subject: subjects.browserSilent,
  body: json(SilentBrowser),
});

/** Asks one agent to find out whether the host is gone. If it is lost, the server says it again while it has viewers. */
export function announceSilence(bus: Pick<Bus, 'publish'>, silent: SilentBrowser): void {
  bus.publish(browserSilent, {}, silent);
}
