// Answers requests. Every request gets a reply, or a refusal with its reason.

import { headers, type Msg } from '@nats-io/nats-core';
import { DecodeError } from '../wire/codec.ts';
import { waitFor } from '../wire/deadline.ts';
import { claimsAgree, type RequestDefinition } from '../wire/define.ts';
import type { OnProblem } from '../wire/problem.ts';
import type { Filter, Tokens } from '../wire/subject.ts';
import { isInboxOf } from '../wire/subjects.ts';
import type { Link } from './link.ts';
import { type Listener, type ListenOptions, listen } from './listen.ts';
import {
  headerRoomBytes,
  type Refusal,
  type RequestTracing,
  refusalHeader,
  replyWindowMs,
  timeoutHeader,
  tracedOf,
  traceHeader,
} from './request.ts';

export interface RequestContext<Name extends string> {
  /** Read from the subject, on which the sender has permission to publish. */
  from: Tokens<Name>;
  /** Aborted when the sender has given up, or the responder was closed. */
  signal: AbortSignal;
}

export type Handler<Name extends string, Out, ReplyIn> = (
  message: Out,
  asked: RequestContext<Name>,
) => ReplyIn | Promise<ReplyIn>;

export interface Responder extends Omit<Listener, 'close'> {
  /** Accepts no more requests, lets the present ones finish until the deadline, then aborts them. */
  close(options?: { timeoutMs?: number }): Promise<void>;
}

export function respond<Name extends string, Open extends Name, In, Out, ReplyIn, ReplyOut>(
  link: Link,
  definition: RequestDefinition<Name, Open, In, Out, ReplyIn, ReplyOut>,
  filter: Filter<Name, Open>,
  handler: Handler<Name, Out, ReplyIn>,
  onProblem: OnProblem,
  options: ListenOptions & { tracing?: RequestTracing | undefined } = {},
): Responder {
  const { name, subject } = definition;
  const pending = new Map<Promise<void>, AbortController>();

  async function answer(msg: Msg, controller: AbortController) {
    const problem = (kind: 'bad_message' | 'handler_failed' | 'reply_lost', error: unknown) =>
      onProblem({ kind, name, subject: msg.subject, error });
    const from = subject.read(msg.subject);
    // A reply goes only to an inbox of the sender; otherwise a host could make this process publish on subjects closed
    // to it.
    if (!from || !isInboxOf(definition.askers(from), msg.reply)) {
      return problem('bad_message', new DecodeError('no inbox of the asker to answer to'));
    }
    const send = (bytes: Uint8Array, refusal?: Refusal) => {
      const head = headers();
      if (refusal) head.set(refusalHeader, refusal);
      try {
        msg.respond(bytes, { headers: head });
      } catch (error) {
        problem('reply_lost', error);
      }
    };
    let message: Out;
    try {
      message = definition.request.decode(msg.data);
      if (!claimsAgree(from, definition.claims?.(message))) throw new DecodeError('claims another origin');
    } catch (error) {
      problem('bad_message', error);
      return send(Buffer.from(error instanceof DecodeError ? error.message : ''), 'bad_request');
    }
    const timer = setTimeout(() => controller.abort(), timeLeft(msg));
    try {
      const handle = async () => handler(message, { from, signal: controller.signal });
      const parent = msg.headers?.get(traceHeader) || undefined;
      const answer = options.tracing?.answered?.(tracedOf(name, message), parent, handle) ?? handle();
      const reply = definition.reply.encode(await answer);
      if (reply.length + headerRoomBytes > link.maxPayloadBytes()) return send(Buffer.alloc(0), 'too_large');
      send(reply);
    } catch (error) {
      // The error is not sent: the sender may be a host, and the text of an error may hold anything.
      problem('handler_failed', error);
      send(Buffer.alloc(0), 'failed');
    } finally {
      clearTimeout(timer);
    }
  }

  const listener = listen(link, subject.filter(filter), options, (msg) => {
    const controller = new AbortController();
    const work = answer(msg, controller).finally(() => pending.delete(work));
    pending.set(work, controller);
  });

  return {
    ready: listener.ready,
    close: async ({ timeoutMs = 1000 } = {}) => {
      const finish = async () => {
        await listener.drain();
        await Promise.allSettled(pending.keys());
      };
      await waitFor(finish(), { timeoutMs }).catch(() => undefined);
      listener.close();
      for (const controller of pending.values()) controller.abort();
    },
  };
}

function timeLeft(msg: Msg): number {
  const given = Number(msg.headers?.get(timeoutHeader));
  return given >= 1 && given <= replyWindowMs ? given : replyWindowMs;
}
