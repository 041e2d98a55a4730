// The host's own end of the pipe, as the browser library takes it. It must never hand two messages over in one turn: what
// the library does after the first has to be done before it sees the second.

import type { ConnectOverCDPTransport } from 'playwright-core';

export type HostTransport = {
  /** What the library gets. */
  transport: ConnectOverCDPTransport;
  /** A message of Chromium for the host. */
  deliver(message: Buffer): void;
  /** Chromium is gone. */
  closed(): void;
};

type Options = {
  send(message: string): void;
  /** The library wants the browser to end. */
  end(): Promise<void>;
};

export function createHostTransport({ send, end }: Options): HostTransport {
  let onclose: ((reason?: string) => void) | undefined;
  let isClosed = false;
  const transport: ConnectOverCDPTransport = {
    send: (message) => send(JSON.stringify(message)),
    // The library waits for what this returns.
    close: () => end(),
    // Chromium may be gone before the library listens.
    get onclose() {
      return onclose;
    },
    set onclose(next) {
      onclose = next;
      if (isClosed) next?.();
    },
  };
  return {
    transport,
    deliver(message) {
      const text = message.toString();
      setImmediate(() => transport.onmessage?.(JSON.parse(text)));
    },
    closed() {
      isClosed = true;
      // After the last messages.
      setImmediate(() => onclose?.());
    },
  };
}
