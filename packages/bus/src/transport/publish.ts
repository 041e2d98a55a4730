// Publishes to the present subscribers. Nothing is stored for later ones.

import { errors } from '@nats-io/nats-core';
import type { MessageDefinition } from '../wire/define.ts';
import type { Tokens } from '../wire/subject.ts';
import type { Link } from './link.ts';

/** `ok` means handed to a live connection, not that it was received. */
export type PublishResult = { ok: true } | { ok: false; reason: 'disconnected' | 'too_large' };

export function publish<Name extends string, Open extends Name, In, Out>(
  link: Link,
  definition: MessageDefinition<Name, Open, In, Out>,
  to: Tokens<Name>,
  message: In,
): PublishResult {
  const subject = definition.subject.to(to);
  // While disconnected, the library buffers messages, then drops them or sends them late: better to fail at once.
  if (!canSend(link)) return { ok: false, reason: 'disconnected' };
  const bytes = definition.body.encode(message);
  // Checked here too: before the server's greeting the library sends any size, and the server disconnects.
  if (bytes.length > link.maxPayloadBytes()) return { ok: false, reason: 'too_large' };
  try {
    link.nc.publish(subject, bytes);
    return { ok: true };
  } catch (error) {
    // The connection changed in this very moment: it was closed, or is back with a server that accepts less.
    return { ok: false, reason: error instanceof errors.InvalidArgumentError ? 'too_large' : 'disconnected' };
  }
}

export function canSend(link: Link): boolean {
  return link.isConnected() && !link.nc.isDraining();
}
