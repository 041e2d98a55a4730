// Wake-ups say "look again" and carry no truth: losing one costs time, never data.

import { z } from 'zod';
import { json } from './codec.ts';
import type { Bus } from './connect.ts';
import { defineMessage } from './define.ts';
import { BusId } from './heartbeat.ts';
import { subjects } from './subjects.ts';

export const EventWakeup = z.object({ session_id: BusId, seq: z.int().nonnegative() });
export type EventWakeup = z.output<typeof EventWakeup>;

export const eventWakeup = defineMessage({
  name: 'event wake-up',
  lane: 'control',
  subject: subjects.sessionEvent,
  body: json(EventWakeup),
  claims: ({ session_id }) => ({ session_id }),
});

/** Tells whoever streams the session to look again. Lost or not delivered, it costs a watcher a second and no event. */
export function announceEvent(bus: Pick<Bus, 'publish'>, sessionId: string, seq: number): void {
  bus.publish(eventWakeup, { session_id: sessionId }, { session_id: sessionId, seq });
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
