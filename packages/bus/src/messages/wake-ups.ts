// Wake-ups say "look again", and losing one costs time, never data. What they bring along spares whoever hears them the
// look, where it is all that was missing.

import { z } from 'zod';
import { json } from './codec.ts';
import type { Bus } from './connect.ts';
import { defineMessage } from './define.ts';
import { BusId } from './heartbeat.ts';
import { subjects } from './subjects.ts';

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
  /** All that was committed at once, up to `seq`; nothing, where that is too much to carry. */
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

const MAX_ANNOUNCED_CHARS = 64 * 1024;

type Announced = {
  seq: number;
  task_id: string | null;
  kind: string;
  data: Record<string, unknown>;
  recorded_at: Date;
};

/** Tells whoever streams the session of events. Lost or not delivered, it costs a watcher a second and no event. */
export function announceEvent(
  bus: Pick<Bus, 'publish'>,
  sessionId: string,
  seq: number,
  committed: Announced[] = [],
): void {
  // Without the session, which the wake-up names already.
  const events = committed.map(({ seq: at, task_id, kind, data, recorded_at }) => {
    return { seq: at, task_id, kind, data, recorded_at };
  });
  const isLight = events.length > 0 && JSON.stringify(events).length <= MAX_ANNOUNCED_CHARS;
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

/** Replaced or revoked: whoever watches by an earlier token of this session has to go. */
export const ShareRevoked = z.object({ session_id: BusId });
export type ShareRevoked = z.output<typeof ShareRevoked>;

export const shareRevoked = defineMessage({
  name: 'share revoked',
  lane: 'control',
  subject: subjects.shareRevoked,
  body: json(ShareRevoked),
});

/** It says nothing of what there is: whoever wakes looks. */
export const WorkQueued = z.object({});
export type WorkQueued = z.output<typeof WorkQueued>;

export const workQueued = defineMessage({
  name: 'work queued',
  lane: 'control',
  subject: subjects.workQueued,
  body: json(WorkQueued),
});

/** Tells one agent to look into the queue now. Lost, it costs the time until the next look. */
export function announceWork(bus: Pick<Bus, 'publish'>): void {
  bus.publish(workQueued, {}, {});
}
