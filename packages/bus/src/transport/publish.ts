// Telling everybody who listens, now. Nothing is kept for those who do not.

import { errors } from '@nats-io/nats-core';
import type { MessageDefinition } from './define.ts';
import type { Link } from './link.ts';
import type { Tokens } from './subject.ts';

/** `ok` means handed to a live connection, not that somebody heard it. */
export type PublishResult = { ok: true } | { ok: false; reason: 'disconnected' | 'too_large' };

export function publish<Name extends string, Open extends Name, In, Out>(
  link: Link,
  definition: MessageDefinition<Name, Open, In, Out>,
  to: Tokens<Name>,
  message: In,
): PublishResult {
  const subject = definition.subject.to(to);
  // While down the library collects messages in memory, then drops them or sends them late: better to say so at once.
  if (!canSend(link)) return { ok: false, reason: 'disconnected' };
  const bytes = definition.body.encode(message);
  // Checked here too: without a server's greeting the library sends anything, and the server hangs up.
  if (bytes.length > link.maxPayloadBytes()) return { ok: false, reason: 'too_large' };
  try {
    link.nc.publish(subject, bytes);
    return { ok: true };
  } catch (error) {
    // The connection changed in this very moment: closed, or back with a server that takes less.
    return { ok: false, reason: error instanceof errors.InvalidArgumentError ? 'too_large' : 'disconnected' };
  }
}

export function canSend(link: Link): boolean {
  return link.isConnected() && !link.nc.isDraining();
}
