// Newest wins: a slow consumer or server has one slot, in which a newer message replaces an older one. Nothing piles
// up.

import type { Msg } from '@nats-io/nats-core';
import type { MessageDefinition } from '../wire/define.ts';
import type { OnProblem } from '../wire/problem.ts';
import type { Filter, Tokens } from '../wire/subject.ts';
import type { Link } from './link.ts';
import { type ListenOptions, listen } from './listen.ts';
import { publish } from './publish.ts';
import { type Consumer, deliver, receive, type Subscription } from './subscribe.ts';

export interface NewestSubscription extends Subscription {
  counts(): { received: number; dropped: number; skipped: number };
}

/**
 * Calls the consumer with one message at a time. A message that arrives meanwhile replaces the one that waits, so the
 * last one is always delivered. There is one slot per subscription: subscribe once per session, not once for all.
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
 * Publishes one message at a time, the next when the server has confirmed the last: with a slow server there are fewer
 * frames, and they do not pile up in this process. Where the connection broke before that, the newest is sent when it is back.
 */
export function publishNewest<Name extends string, Open extends Name, In, Out>(
  link: Link,
  definition: MessageDefinition<Name, Open, In, Out>,
  to: Tokens<Name>,
): NewestPublisher<In> {
  definition.subject.to(to); // throws here on a bad token, and not at the first frame
  let [sent, failed] = [0, 0];
  let isClosed = false;
  let stopWaiting = () => {};
  const slot = createSlot<In>(async (message) => {
    do {
      const published = publish(link, definition, to, message);
      if (published.ok) sent += 1;
      else failed += 1;
      if (published.ok ? await isConfirmed(link) : published.reason === 'too_large') return;
      if (isClosed) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      stopWaiting = link.onBack(resolve);
      await promise;
      stopWaiting();
    } while (!slot.isTaken());
  });
  const close = () => {
    isClosed = true;
    slot.clear();
    stopWaiting();
  };
  return { put: slot.put, counts: () => ({ sent, failed, skipped: slot.skipped() }), close };
}

/** False where the connection broke: the server may have it, or may not. */
const isConfirmed = ({ nc }: Link): Promise<boolean> =>
  nc.flush().then(
    () => true,
    () => false,
  );

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
    isTaken: () => waiting !== undefined,
    skipped: () => skipped,
  };
}
