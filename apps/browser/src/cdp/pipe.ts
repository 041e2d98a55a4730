// The pipe to one Chromium: whole messages in both directions. It must never look into a message, nor lose the order.

import type { Readable, Writable } from 'node:stream';

/** Ends each message, and is in none: it is no character of JSON. */
const end = 0;

export type Pipe = {
  /** Sends one message, as JSON. Throws when the pipe is closed. */
  send(message: string): void;
  isClosed(): boolean;
};

export type PipeListeners = {
  onMessage(message: Buffer): void;
  /** Once, when Chromium has closed its side: it is gone, or about to be. */
  onClose(): void;
};

export type PipeStreams = { toChromium: Writable; fromChromium: Readable };

export function openPipe({ toChromium, fromChromium }: PipeStreams, listeners: PipeListeners): Pipe {
  let isClosed = false;
  /** The pieces so far of a message whose end Chromium has not written yet. Joined once, at the end: a picture has many pieces. */
  let begun: Buffer[] = [];

  function take(piece: Buffer): void {
    let from = 0;
    for (let at = piece.indexOf(end); at !== -1; at = piece.indexOf(end, from)) {
      const last = piece.subarray(from, at);
      const message = begun.length > 0 ? Buffer.concat([...begun, last]) : last;
      begun = [];
      from = at + 1;
      listeners.onMessage(message);
    }
    if (from < piece.length) begun.push(piece.subarray(from));
  }

  fromChromium.on('data', take);
  fromChromium.once('close', () => {
    isClosed = true;
    begun = [];
    listeners.onClose();
  });
  // A pipe that breaks is closed next, and that is what counts.
  fromChromium.on('error', () => {});
  toChromium.on('error', () => {});

  return {
    send(message) {
      if (isClosed) throw new Error('the pipe to Chromium is closed');
      toChromium.write(`${message}\0`);
    },
    isClosed: () => isClosed,
  };
}
