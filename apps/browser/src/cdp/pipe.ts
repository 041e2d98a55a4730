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
  /** One that is longer than what can be taken, by its first and its last bytes. */
  onTooLong(head: Buffer, tail: Buffer): void;
  /** Once, when Chromium has closed its side: it is gone, or about to be. */
  onClose(): void;
};

export type PipeStreams = { toChromium: Writable; fromChromium: Readable };

/** No text can be longer than four times this. What a page shows is a tenth of it. */
const maxMessage = 128 * 1024 * 1024;
/** By these it is told whose a message is. */
const edge = 256;

export function openPipe(
  { toChromium, fromChromium }: PipeStreams,
  listeners: PipeListeners,
  { maxBytes = maxMessage } = {},
): Pipe {
  let isClosed = false;
  /** The pieces so far of a message whose end Chromium has not written yet. Joined once, at the end: a picture has many pieces. */
  let begun: Buffer[] = [];
  let length = 0;

  /** Of one that is too long, only its edges are kept. */
  function keep(piece: Buffer): void {
    length += piece.length;
    begun.push(piece);
    if (length <= maxBytes) return;
    const all = Buffer.concat(begun);
    begun = [Buffer.from(all.subarray(0, edge)), Buffer.from(all.subarray(-edge))];
  }

  function take(piece: Buffer): void {
    let from = 0;
    for (let at = piece.indexOf(end); at !== -1; at = piece.indexOf(end, from)) {
      keep(piece.subarray(from, at));
      const [first = piece, ...more] = begun;
      const whole = more.length > 0 ? Buffer.concat(begun) : first;
      const isTooLong = length > maxBytes;
      [begun, length, from] = [[], 0, at + 1];
      if (isTooLong) listeners.onTooLong(whole.subarray(0, edge), whole.subarray(-edge));
      else listeners.onMessage(whole);
    }
    if (from < piece.length) keep(piece.subarray(from));
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
