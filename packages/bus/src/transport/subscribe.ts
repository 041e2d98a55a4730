// Receives every message of a kind. For work that takes time per message, see newest.ts.

import type { Msg } from '@nats-io/nats-core';
import { DecodeError } from '../wire/codec.ts';
import { claimsAgree, type MessageDefinition } from '../wire/define.ts';
import type { OnProblem } from '../wire/problem.ts';
import type { Filter, Tokens } from '../wire/subject.ts';
import type { Link } from './link.ts';
import { type Listener, type ListenOptions, listen } from './listen.ts';

export interface Subscription extends Listener {
  counts(): { received: number; dropped: number };
}

/**
 * `from` is read from the subject, on which the sender has permission. A rejected promise is reported, but not awaited.
 */
export type Consumer<Name extends string, Out> = (message: Out, from: Tokens<Name>) => void | Promise<void>;

export function subscribe<Name extends string, Open extends Name, In, Out>(
  link: Link,
  definition: MessageDefinition<Name, Open, In, Out>,
  filter: Filter<Name, Open>,
  consumer: Consumer<Name, Out>,
  onProblem: OnProblem,
  options: ListenOptions = {},
): Subscription {
  let received = 0;
  let dropped = 0;
  const consume = async (msg: Msg) => {
    received += 1;
    const arrived = receive(definition, msg, onProblem);
    if (!arrived) dropped += 1;
    else await deliver(definition.name, msg, onProblem, () => consumer(arrived.message, arrived.from));
  };
  const { ready, close } = listen(link, definition.subject.filter(filter), options, consume);
  return { ready, close, counts: () => ({ received, dropped }) };
}

/** Undefined if it is not valid, which is reported: a bad sender must not stop the listener. */
export function receive<Name extends string, Open extends Name, In, Out>(
  { name, subject, body, claims }: MessageDefinition<Name, Open, In, Out>,
  msg: Msg,
  onProblem: OnProblem,
): { message: Out; from: Tokens<Name> } | undefined {
  try {
    const from = subject.read(msg.subject);
    if (!from) throw new DecodeError('not a subject of this kind');
    const message = body.decode(msg.data);
    if (!claimsAgree(from, claims?.(message))) throw new DecodeError('claims another origin than its subject');
    return { message, from };
  } catch (error) {
    onProblem({ kind: 'bad_message', name, subject: msg.subject, error });
    return undefined;
  }
}

export async function deliver(name: string, msg: Msg, onProblem: OnProblem, consumer: () => void | Promise<void>) {
  try {
    await consumer();
  } catch (error) {
    onProblem({ kind: 'handler_failed', name, subject: msg.subject, error });
  }
}
