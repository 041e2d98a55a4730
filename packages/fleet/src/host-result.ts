// The three ways in which a command to a host can end.

import type { Failure, RequestFailure, RequestResult, SessionReply } from '@pilothouse/bus';

export type HostResult<Reply> =
  | { type: 'done'; reply: Reply }
  /** The host answered that it did not do it. */
  | { type: 'refused'; failure: Failure; message: string; hasTouched: boolean }
  /** No reply that can be read. `no_responders` means that no process listens for the host; `timeout` means nothing. */
  | { type: 'unanswered'; reason: RequestFailure['reason']; mayHaveActed: boolean };

type Refusal = Extract<SessionReply, { ok: false }>;

/** Reads a reply of the bus with `read`, which returns undefined for a reply of the wrong kind. */
export function hostResultOf<Reply, Value>(
  result: RequestResult<Reply>,
  read: (reply: Reply) => Value | Refusal | undefined,
): HostResult<Value> {
  if (!result.ok) return { type: 'unanswered', reason: result.reason, mayHaveActed: result.mayHaveActed };
  const value = read(result.reply);
  if (value === undefined) return { type: 'unanswered', reason: 'bad_reply', mayHaveActed: true };
  if (!isRefusal(value)) return { type: 'done', reply: value };
  return { type: 'refused', failure: value.failure, message: value.message, hasTouched: value.has_touched };
}

const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'ok' in value && value.ok === false;
