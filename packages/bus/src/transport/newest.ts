// Newest wins: one slot before whoever is slow, so that nobody falls behind and nothing grows.

import type { Msg } from '@nats-io/nats-core';
import type { MessageDefinition } from './define.ts';
import type { Link } from './link.ts';
import { type ListenOptions, listen } from './listen.ts';
import type { OnProblem } from './problem.ts';
import { publish } from './publish.ts';
import type { Filter, Tokens } from './subject.ts';
import { type Consumer, deliver, receive, type Subscription } from './subscribe.ts';

export interface NewestSubscription extends Subscription {
  counts(): { received: number; dropped: number; skipped: number };
}

/**
 * Calls the consumer with one message at a time. What arrives meanwhile replaces what waits, so the last one always
 * comes through. There is one slot per subscription: subscribe once per session, not once for all.
 */
export function subscribeNewest<Name extends string, Open extends Name, In, Out>(
  link: Link,
  definition: MessageDefinition<Name, Open, In, Out>,
  filter: Filter<Name, Open>,
  consumer: Consumer<Name, Out>,
  onProblem: OnProblem,
  options: ListenOptions = {},
): NewestSubscription {
  let [received, dropped] = [0, 0];
  const slot = createSlot<Msg>(async (msg) => {
    if (options.signal?.aborted) return;
    // Decoded only now: a skipped frame costs nothing.
    const arrived = receive(definition, msg, onProblem);
    if (!arrived) dropped += 1;
    else await deliver(definition.name, msg, onProblem, () => consumer(arrived.message, arrived.from));
  });
  const listener = listen(link, definition.subject.filter(filter), options, (msg) => {
    received += 1;
    slot.put(msg);
  });
  const close = () => {
    listener.close();
    slot.clear();
  };
  return { ready: listener.ready, close, counts: () => ({ received, dropped, skipped: slot.skipped() }) };
}

export interface NewestPublisher<In> {
  put(message: In): void;
  counts(): { sent: number; failed: number; skipped: number };
  close(): void;
}

/**
 * Publishes one message at a time, the next when the server has answered for the last: a slow server makes frames
 * fewer, where plain publishing would pile them up in this process.
 */
export function publishNewest<Name extends string, Open extends Name, In, Out>(
  link: Link,
  definition: MessageDefinition<Name, Open, In, Out>,
  to: Tokens<Name>,
): NewestPublisher<In> {
  definition.subject.to(to); // a bad token is the caller's mistake, to be met here and not at the first frame
  let [sent, failed] = [0, 0];
  const slot = createSlot<In>(async (message) => {
    if (!publish(link, definition, to, message).ok) {
      failed += 1;
      return;
    }
    sent += 1;
    // Settles with the answer or with the loss of the connection, and both are a reason to go on.
    await link.nc.flush().catch(() => undefined);
  });
  return { put: slot.put, counts: () => ({ sent, failed, skipped: slot.skipped() }), close: slot.clear };
}

/** `work` must not throw. */
function createSlot<T>(work: (item: T) => Promise<void>) {
  let waiting: { item: T } | undefined;
  let busy = false;
  let skipped = 0;

  async function run() {
    busy = true;
    while (waiting) {
      const { item } = waiting;
      waiting = undefined;
      await work(item);
    }
    busy = false;
  }
  return {
    put: (item: T) => {
      if (waiting) skipped += 1;
      waiting = { item };
      if (!busy) void run();
    },
    clear: () => {
      waiting = undefined;
    },
    skipped: () => skipped,
  };
}
