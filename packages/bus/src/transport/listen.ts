// A NATS subscription that survives reconnects; the base of all listeners.

import type { Msg } from '@nats-io/nats-core';
import { type Wait, waitFor } from '../wire/deadline.ts';
import type { Link } from './link.ts';

export interface ListenOptions {
  /** Members of a queue group share the messages: each goes to one of them. */
  queue?: string;
  /** Ends the listening, as close() does. */
  signal?: AbortSignal;
}

export interface Listener {
  /**
   * Resolves when the server has the subscription; rejects if it is forbidden, or the server does not answer in time.
   */
  ready(wait: Wait): Promise<void>;
  close(): void;
}

export interface DrainableListener extends Listener {
  /** As close(), after messages that are under way have been delivered. */
  drain(): Promise<void>;
}

/** `onMessage` must not throw: an exception here would end the library's reader and with it the whole connection. */
export function listen(
  { nc }: Link,
  subject: string,
  { queue, signal }: ListenOptions,
  onMessage: (msg: Msg) => void,
): DrainableListener {
  let forbidden: Error | undefined;
  // Always by callback: the library's iterator keeps every message that was not yet taken, without bound.
  const subscription = nc.subscribe(subject, {
    queue,
    callback: (error, msg) => {
      if (error) forbidden = error;
      else onMessage(msg);
    },
  });
  const close = () => {
    signal?.removeEventListener('abort', close);
    subscription.unsubscribe();
  };
  signal?.addEventListener('abort', close, { once: true });
  if (signal?.aborted) close();

  return {
    ready: async (wait) => {
      // The server answers in order, so a refusal of the subscription arrives before the answer to this.
      await waitFor(nc.flush(), wait);
      if (forbidden) throw forbidden;
    },
    close,
    drain: async () => {
      signal?.removeEventListener('abort', close);
      if (!subscription.isClosed()) await subscription.drain();
    },
  };
}
