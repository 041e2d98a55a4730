// Asking one process and waiting for its answer. Every way it can end is a value, because each means something else.

import { errors, headers, type Msg } from '@nats-io/nats-core';
import { checkTimeout, type Wait } from './deadline.ts';
import type { RequestDefinition } from './define.ts';
import type { Link } from './link.ts';
import { canSend } from './publish.ts';
import type { Tokens } from './subject.ts';

/** How long a responder may take: after this the server no longer lets it answer. */
export const REPLY_WINDOW_MS = 30_000;

export const TIMEOUT_HEADER = 'Timeout-Ms';
export const REFUSAL_HEADER = 'Refused';
// Counted by the server as part of the payload.
export const HEADER_ROOM_BYTES = 128;

export const refusals = ['bad_request', 'failed', 'too_large'] as const;
/** What a responder says instead of a reply: it did not understand, its handler threw, or its reply was too large. */
export type Refusal = (typeof refusals)[number];

export type RequestFailure = {
  ok: false;
  /** False: certainly nobody acted on it, so it may be sent again. True: unknown; look before you repeat it. */
  mayHaveActed: boolean;
} & (
  | {
      /**
       * `no_responders`: nobody listens there, known at once. `timeout`: unknown, not gone. `disconnected`: no
       * connection, or it broke while waiting. `forbidden`: these credentials may not ask that.
       */
      reason: 'no_responders' | 'timeout' | 'aborted' | 'disconnected' | 'bad_reply' | 'too_large' | 'forbidden';
    }
  | { reason: 'refused'; refusal: Refusal; detail: string }
);

export type RequestResult<Reply> = { ok: true; reply: Reply } | RequestFailure;

type PlainReason = Exclude<RequestFailure['reason'], 'refused'>;
const failure = (reason: PlainReason, mayHaveActed: boolean): RequestFailure => ({ ok: false, reason, mayHaveActed });

/** Never rejects for what the bus or the other side does; throws only on a bad token or a bad timeout. */
export async function request<Name extends string, Open extends Name, In, Out, ReplyIn, ReplyOut>(
  link: Link,
  definition: RequestDefinition<Name, Open, In, Out, ReplyIn, ReplyOut>,
  to: Tokens<Name>,
  message: In,
  { timeoutMs, signal }: Wait,
): Promise<RequestResult<ReplyOut>> {
  const subject = definition.subject.to(to);
  const timeout = checkTimeout(timeoutMs, REPLY_WINDOW_MS);
  if (signal?.aborted) return failure('aborted', false);
  if (!canSend(link)) return failure('disconnected', false);
  const bytes = definition.request.encode(message);
  if (bytes.length + HEADER_ROOM_BYTES > link.maxPayloadBytes()) return failure('too_large', false);

  const head = headers();
  head.set(TIMEOUT_HEADER, String(Math.ceil(timeout)));
  const { promise, resolve } = Promise.withResolvers<RequestResult<ReplyOut>>();
  const onAbort = () => resolve(failure('aborted', true));
  signal?.addEventListener('abort', onAbort, { once: true });
  // The library lets a request wait out its time on a connection that is no more.
  const forget = link.onLost(() => resolve(failure('disconnected', true)));
  link.nc.request(subject, bytes, { timeout, headers: head }).then(
    (msg) => resolve(readReply(definition, msg)),
    (error) => resolve(failureOf(error)),
  );
  return promise.finally(() => {
    forget();
    signal?.removeEventListener('abort', onAbort);
  });
}

function readReply<Name extends string, Open extends Name, In, Out, ReplyIn, ReplyOut>(
  definition: RequestDefinition<Name, Open, In, Out, ReplyIn, ReplyOut>,
  msg: Msg,
): RequestResult<ReplyOut> {
  try {
    const refused = msg.headers?.get(REFUSAL_HEADER);
    if (!refused) return { ok: true, reply: definition.reply.decode(msg.data) };
    const refusal = refusals.find((known) => known === refused);
    if (!refusal) return failure('bad_reply', true);
    const detail = msg.string().slice(0, 1000);
    return { ok: false, reason: 'refused', refusal, detail, mayHaveActed: refusal !== 'bad_request' };
  } catch {
    return failure('bad_reply', true);
  }
}

function failureOf(error: unknown): RequestFailure {
  if (error instanceof errors.TimeoutError) return failure('timeout', true);
  const cause = error instanceof errors.RequestError ? error.cause : error;
  if (cause instanceof errors.NoRespondersError) return failure('no_responders', false);
  if (cause instanceof errors.PermissionViolationError) return failure('forbidden', false);
  if (cause instanceof errors.InvalidArgumentError) return failure('too_large', false);
  return failure('disconnected', true);
}
