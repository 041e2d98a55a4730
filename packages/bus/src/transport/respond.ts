// Answering requests. Whoever asks gets an answer: a reply, or the reason why there is none.

import { headers, type Msg } from '@nats-io/nats-core';
import { DecodeError } from './codec.ts';
import { waitFor } from './deadline.ts';
import { claimsAgree, type RequestDefinition } from './define.ts';
import type { Link } from './link.ts';
import { type Listener, type ListenOptions, listen } from './listen.ts';
import type { OnProblem } from './problem.ts';
import { HEADER_ROOM_BYTES, REFUSAL_HEADER, REPLY_WINDOW_MS, type Refusal, TIMEOUT_HEADER } from './request.ts';
import type { Filter, Tokens } from './subject.ts';
import { inboxPrefix } from './subjects.ts';

export interface Asked<Name extends string> {
  /** Read from the subject, which the asker had permission for. */
  from: Tokens<Name>;
  /** Aborted when the asker has given up, or the responder was closed. */
  signal: AbortSignal;
}

export type Handler<Name extends string, Out, ReplyIn> = (
  message: Out,
  asked: Asked<Name>,
) => ReplyIn | Promise<ReplyIn>;

export interface Responder extends Omit<Listener, 'close'> {
  /** Takes no more requests, lets those in hand finish until the deadline, then aborts them. */
  close(options?: { timeoutMs?: number }): Promise<void>;
}

export function respond<Name extends string, Open extends Name, In, Out, ReplyIn, ReplyOut>(
  link: Link,
  definition: RequestDefinition<Name, Open, In, Out, ReplyIn, ReplyOut>,
  filter: Filter<Name, Open>,
  handler: Handler<Name, Out, ReplyIn>,
  onProblem: OnProblem,
  options: ListenOptions = {},
): Responder {
  const { name, subject } = definition;
  const inHand = new Map<Promise<void>, AbortController>();

  async function answer(msg: Msg, controller: AbortController) {
    const problem = (kind: 'bad_message' | 'handler_failed' | 'reply_lost', error: unknown) =>
      onProblem({ kind, name, subject: msg.subject, error });
    const from = subject.read(msg.subject);
    // A reply goes only to an inbox of the asker, else a host could have us speak on subjects closed to itself.
    if (!from || !definition.askers(from).some((user) => msg.reply?.startsWith(`${inboxPrefix(user)}.`))) {
      return problem('bad_message', new DecodeError('no inbox of the asker to answer to'));
    }
    const send = (bytes: Uint8Array, refusal?: Refusal) => {
      const head = headers();
      if (refusal) head.set(REFUSAL_HEADER, refusal);
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
      const reply = definition.reply.encode(await handler(message, { from, signal: controller.signal }));
      if (reply.length + HEADER_ROOM_BYTES > link.maxPayloadBytes()) return send(Buffer.alloc(0), 'too_large');
      send(reply);
    } catch (error) {
      // What was thrown stays here: the asker may be a host, and the text of an error may hold anything.
      problem('handler_failed', error);
      send(Buffer.alloc(0), 'failed');
    } finally {
      clearTimeout(timer);
    }
  }

  const listener = listen(link, subject.filter(filter), options, (msg) => {
    const controller = new AbortController();
    const work = answer(msg, controller).finally(() => inHand.delete(work));
    inHand.set(work, controller);
  });

  return {
    ready: listener.ready,
    close: async ({ timeoutMs = 1000 } = {}) => {
      const finish = async () => {
        await listener.drain();
        await Promise.allSettled(inHand.keys());
      };
      await waitFor(finish(), { timeoutMs }).catch(() => undefined);
      listener.close();
      for (const controller of inHand.values()) controller.abort();
    },
  };
}

function timeLeft(msg: Msg): number {
  const given = Number(msg.headers?.get(TIMEOUT_HEADER));
  return given >= 1 && given <= REPLY_WINDOW_MS ? given : REPLY_WINDOW_MS;
}
