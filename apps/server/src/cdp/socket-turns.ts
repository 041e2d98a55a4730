// What is said to a program in one turn leaves in one piece, and so it hears of it in one turn: between an answer and the news
// that a document is gone, it must not begin to read that document. Chromium, too, often writes several messages at once.

import type { Duplex } from 'node:stream';

/** Larger than what belongs together, and more than is held back. */
const maxChars = 256 * 1024;

export type SocketTurns = {
  /** Before a message of this length is sent. */
  sends(chars: number): void;
};

/** `wire`: what the socket writes to. */
export function createSocketTurns(wire: Pick<Duplex, 'cork' | 'uncork'>): SocketTurns {
  let isOpen = false;
  let held = 0;
  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    held = 0;
    wire.uncork();
  }
  return {
    sends(chars) {
      // What is held back counts as not read yet, so a large message must not find anything.
      if (held + chars > maxChars) return end();
      held += chars;
      if (isOpen) return;
      isOpen = true;
      wire.cork();
      process.nextTick(end);
    },
  };
}
