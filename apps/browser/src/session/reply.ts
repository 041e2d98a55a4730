// Replies of a session, in the form in which they go over the bus.

import type { Packed, SessionReply } from '@pilothouse/bus';
import type { StepFailure } from '../common/failure.ts';

export type Reply = Packed<SessionReply>;

export const emptyBody = new Uint8Array();

export function failed({ failure, message, hasTouched }: StepFailure) {
  const head = { ok: false as const, failure, message, has_touched: hasTouched };
  return { head, body: emptyBody };
}
