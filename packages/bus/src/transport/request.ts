// Sends a request to one process and waits for its reply. Every way in which it can end is a value.

import { errors, headers, type Msg } from '@nats-io/nats-core';
import { checkTimeout, type Wait } from '../wire/deadline.ts';
import type { RequestDefinition } from '../wire/define.ts';
import type { Tokens } from '../wire/subject.ts';
import type { Link } from './link.ts';
import { canSend } from './publish.ts';

/** How long a responder may take: after this, NATS no longer lets it reply. */
export const replyWindowMs = 30_000;

export const timeoutHeader = 'Timeout-Ms';
/** The name that W3C gives it. */
export const traceHeader = 'traceparent';
export const refusalHeader = 'Refused';
// NATS counts headers as part of the payload.
export const headerRoomBytes = 128;

export const refusals = ['bad_request', 'failed', 'too_large'] as const;
/** Sent in place of a reply: the message was not valid, the handler threw, or the reply was too large. */
export type Refusal = (typeof refusals)[number];

export type RequestFailure = {
  ok: false;
  /** False: no process acted on it, so it may be sent again. True: unknown; check before you repeat it. */
  mayHaveActed: boolean;
} & (
  | {
      /**
       * `no_responders`: no process listens there, known at once. `timeout`: unknown, not gone. `disconnected`: no
       * connection, or it broke while waiting. `forbidden`: these credentials may not ask that.
       */
      reason: 'no_responders' | 'timeout' | 'aborted' | 'disconnected' | 'bad_reply' | 'too_large' | 'forbidden';
    }
  | { reason: 'refused'; refusal: Refusal; detail: string }
);

export type RequestResult<Reply> = { ok: true; reply: Reply } | RequestFailure;

type PlainReason = Exclude<RequestFailure['reason'], 'refused'>;
const failure = (reason: PlainReason, mayHaveActed: boolean): RequestFailure => ({ ok: false, reason, mayHaveActed });

/** What of a message a trace may name: which definition, and which of its kinds. */
export type Traced = { name: string; command: string | undefined };
/** Follows requests from process to process. The bus knows nothing of traces but the header. */
export interface RequestTracing {
  asked<T extends { ok: boolean; reason?: string }>(
    what: Traced,
    send: (traceparent: string | undefined) => Promise<T>,
  ): Promise<T>;
  /** Without it, the headers of others are not read. */
  answered?<T>(what: Traced, traceparent: string | undefined, work: () => Promise<T>): Promise<T>;
}

/** Commands are unions by `type`; in a packed message that is in its head. */
export function tracedOf(name: string, message: unknown): Traced {
  const { type, head } = (message ?? {}) as { type?: unknown; head?: { type?: unknown } };
  const command = type ?? head?.type;
  return { name, command: typeof command === 'string' ? command : undefined };
}

/** The same, followed by a trace. */
export function tracedRequest<Name extends string, Open extends Name, In, Out, ReplyIn, ReplyOut>(
  link: Link,
  definition: RequestDefinition<Name, Open, In, Out, ReplyIn, ReplyOut>,
  to: Tokens<Name>,
  message: In,
  { tracing, ...wait }: Wait & { tracing: RequestTracing },
): Promise<RequestResult<ReplyOut>> {
  const send = (traceparent: string | undefined) => request(link, definition, to, message, { ...wait, traceparent });
  return tracing.asked(tracedOf(definition.name, message), send);
}

/** Never rejects because of the bus or the other side; throws only on a bad token or a bad timeout. */
export async function request<Name extends string, Open extends Name, In, Out, ReplyIn, ReplyOut>(
  link: Link,
  definition: RequestDefinition<Name, Open, In, Out, ReplyIn, ReplyOut>,
  to: Tokens<Name>,
  message: In,
  { timeoutMs, signal, traceparent }: Wait & { traceparent?: string | undefined },
): Promise<RequestResult<ReplyOut>> {
  const subject = definition.subject.to(to);
  const timeout = checkTimeout(timeoutMs, replyWindowMs);
  if (signal?.aborted) return failure('aborted', false);
  if (!canSend(link)) return failure('disconnected', false);
  const bytes = definition.request.encode(message);
  if (bytes.length + headerRoomBytes > link.maxPayloadBytes()) return failure('too_large', false);

  const head = headers();
  head.set(timeoutHeader, String(Math.ceil(timeout)));
  if (traceparent !== undefined) head.set(traceHeader, traceparent);
  const { promise, resolve } = Promise.withResolvers<RequestResult<ReplyOut>>();
  const onAbort = () => resolve(failure('aborted', true));
  signal?.addEventListener('abort', onAbort, { once: true });
  // On a lost connection, the library would wait until the timeout.
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
    const refused = msg.headers?.get(refusalHeader);
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
