// Replies of a session, in the form in which they go over the bus.

import type { Packed, SessionReply } from '@pilothouse/bus';
import type { StepFailure } from '../common/failure.ts';

export type Reply = Packed<SessionReply>;

export const emptyBody = new Uint8Array();

export function failed({ failure, message, hasTouched, judged }: StepFailure) {
  const head = { ok: false as const, failure, message, has_touched: hasTouched, ...judged };
  return { head, body: emptyBody };
}

/** What the step did, without the picture and the state that came with it. */
export function withoutEvidence({ head, body }: Reply): Reply {
  if (!head.ok || head.type !== 'acted') return { head, body };
  return { head: { ...head, picture: null, state: null }, body: emptyBody };
}
