// One end of the connection of a program: whole messages out of pieces, numbered in both directions. It must never pass on
// a message that has a gap, nor hold more of an unfinished one than its bound.

import { type ProgramPiece, programPieceBytes } from './program.ts';

export type ProgramLink = {
  /** Sends a message in pieces. */
  send(text: string): void;
  /** A piece that came. */
  take(piece: ProgramPiece): void;
  /** Ends it, and tells the other end why. */
  end(reason: string): void;
};

type Options = {
  /** False where it could not be sent: the connection is over then. */
  publish(piece: ProgramPiece): boolean;
  onMessage(text: string): void;
  /** Once. */
  onEnd(reason: string): void;
  /** Of a message that comes. */
  maxMessageBytes: number;
  beatMs?: number;
  /** After so long without a word of the other end, it is gone. */
  silentMs?: number;
};

const empty = new Uint8Array();
const usualBeatMs = 1000;
const usualSilentMs = 4000;

export function createProgramLink(options: Options): ProgramLink {
  const { publish, onMessage, onEnd, maxMessageBytes, beatMs = usualBeatMs, silentMs = usualSilentMs } = options;
  let sent = 0;
  let received = 0;
  let isOver = false;
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  let heardAt = performance.now();

  function over(reason: string): void {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    begun = [];
    onEnd(reason);
  }

  function put(kind: ProgramPiece['kind'], bytes: Uint8Array): void {
    if (isOver) return;
    const isSent = publish({ kind, seq: sent, bytes });
    sent = (sent + 1) >>> 0;
    if (!isSent) over('the connection inside the installation broke');
  }

  function join(bytes: Uint8Array, isLast: boolean): void {
    begunBytes += bytes.length;
    if (begunBytes > maxMessageBytes) {
      end('a message is too large');
      return;
    }
    // Kept for later, a piece must not be part of a buffer that is used again.
    begun.push(isLast ? bytes : new Uint8Array(bytes));
    if (!isLast) return;
    const text = Buffer.concat(begun).toString();
    begun = [];
    begunBytes = 0;
    onMessage(text);
  }

  function end(reason: string): void {
    put('end', Buffer.from(reason.slice(0, 200)));
    over(reason);
  }

  const timer = setInterval(() => {
    if (performance.now() - heardAt > silentMs) over('the other end is silent');
    else put('beat', empty);
  }, beatMs).unref();

  return {
    send(text) {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length || at === 0; at += programPieceBytes) {
        const piece = bytes.subarray(at, at + programPieceBytes);
        put(at + programPieceBytes < bytes.length ? 'more' : 'last', piece);
      }
    },
    take({ kind, seq, bytes }) {
      if (isOver) return;
      heardAt = performance.now();
      const isNext = seq === received;
      received = (received + 1) >>> 0;
      if (!isNext) end('a message was lost on the way');
      else if (kind === 'end') over(Buffer.from(bytes).toString());
      else if (kind !== 'beat') join(bytes, kind === 'last');
    },
    end,
  };
}
