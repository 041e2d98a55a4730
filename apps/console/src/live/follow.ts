// Follows a stream for as long as it is wanted: after a reset it reads again and goes on from the new cursor.

import { ApiError, type ConnectionState } from '@pilothouse/sdk';
import type { Connection } from './api-types.ts';

type Options<Event> = {
  /** Reads everything, and returns the cursor to go on from. */
  read: () => Promise<string>;
  open: (
    cursor: string,
    options: { signal: AbortSignal; onConnection: (state: ConnectionState) => void },
  ) => AsyncIterable<Event>;
  apply: (event: Event) => void;
  onConnection?: (state: Connection) => void;
  signal: AbortSignal;
};

/**
 * Resolves when the stream has ended, was refused, or the signal is aborted. What is shown stays as it is. Rejects with
 * mistakes of our own, so that they are seen in the log of the page.
 */
export async function followStream<Event extends { type: string }>(options: Options<Event>): Promise<void> {
  const { read, open, apply, onConnection, signal } = options;
  try {
    for (;;) {
      const cursor = await read();
      let isReset = false;
      for await (const event of open(cursor, { signal, onConnection: (state) => onConnection?.(state) })) {
        if (event.type === 'reset') isReset = true;
        apply(event);
      }
      if (!isReset || signal.aborted) return;
    }
  } catch (error) {
    if (signal.aborted) return;
    // The view stays, but is not live.
    onConnection?.('refused');
    if (!(error instanceof ApiError)) throw error;
  }
}
