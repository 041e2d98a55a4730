// One end of the connection of a program: whole messages out of pieces, numbered in both directions. It must never pass on
// a message that has a gap, nor hold more of an unfinished one than its bound.

import { DecodeError } from '../wire/codec.ts';
import { type ProgramPiece, ProgramRules, programPieceBytes } from './program.ts';
import { decodeProgramReport, encodeProgramReport, type ProgramReport } from './program-acts.ts';

export type ProgramLink = {
  /** Sends a message in pieces. */
  send(text: string): void;
  /** Tells the other end what the program has done. */
  report(report: ProgramReport): void;
  /** Tells the other end what acts are held to from now on. */
  setRules(rules: ProgramRules): void;
  /** A piece that came. */
  take(piece: ProgramPiece): void;
  /** Asks the other end to tell what is left, and then to end it. */
  leave(): void;
  /** Ends it, and tells the other end why. */
  end(reason: string): void;
};

type Options = {
  /** False where it could not be sent: the connection is over then. */
  publish(piece: ProgramPiece): boolean;
  onMessage(text: string): void;
  /** What the program has done, at the end that asked for it. */
  onReport?(report: ProgramReport): void;
  /** What acts are held to from now on, at the end that has the browser. */
  onRules?(rules: ProgramRules): void;
  /** The other end asks that it ends. */
  onLeave?(): void;
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
  const { publish, onMessage, onReport, onRules, onLeave, onEnd, maxMessageBytes } = options;
  const { beatMs = usualBeatMs, silentMs = usualSilentMs } = options;
  let sent = 0;
  let received = 0;
  let isOver = false;
  const parts = createParts(maxMessageBytes);
  let heardAt = performance.now();

  function over(reason: string): void {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    parts.clear();
    onEnd(reason);
  }

  function put(kind: ProgramPiece['kind'], bytes: Uint8Array): void {
    if (isOver) return;
    const isSent = publish({ kind, seq: sent, bytes });
    sent = (sent + 1) >>> 0;
    if (!isSent) over('the connection inside the installation broke');
  }

  function join(bytes: Uint8Array, isLast: boolean): void {
    const message = parts.add(bytes, isLast);
    if (message === 'too large') end('a message is too large');
    else if (message) onMessage(message.text);
  }

  /**
   * What cannot be read is a mistake of the other end: acts would be missing in the ledger, or former rules would stay in place.
   */
  function hear<T>(read: T | DecodeError, tell: ((heard: T) => void) | undefined): void {
    if (read instanceof DecodeError) end(read.message);
    else tell?.(read);
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
    leave: () => put('leave', empty),
    report: (report) => put('acts', encodeProgramReport(report)),
    setRules: (rules) => put('rules', Buffer.from(JSON.stringify(rules))),
    take({ kind, seq, bytes }) {
      if (isOver) return;
      heardAt = performance.now();
      const isNext = seq === received;
      received = (received + 1) >>> 0;
      if (!isNext) end('a message was lost on the way');
      else if (kind === 'end') over(Buffer.from(bytes).toString());
      else if (kind === 'acts') hear(readReport(bytes), onReport);
      else if (kind === 'rules') hear(readRules(bytes), onRules);
      else if (kind === 'leave') onLeave?.();
      else if (kind !== 'beat') join(bytes, kind === 'last');
    },
    end,
  };
}

function readRules(bytes: Uint8Array): ProgramRules | DecodeError {
  try {
    return ProgramRules.parse(JSON.parse(Buffer.from(bytes).toString()));
  } catch (cause) {
    return new DecodeError('rules for a program that cannot be read', { cause });
  }
}

function readReport(bytes: Uint8Array): ProgramReport | DecodeError {
  try {
    return decodeProgramReport(bytes);
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
}

/** The message whose last piece has not come yet. */
function createParts(maxBytes: number) {
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  const clear = () => {
    begun = [];
    begunBytes = 0;
  };
  return {
    clear,
    /** The whole message with its last piece. */
    add(bytes: Uint8Array, isLast: boolean): { text: string } | 'too large' | undefined {
      begunBytes += bytes.length;
      if (begunBytes > maxBytes) return 'too large';
      // Kept for later, a piece must not be part of a buffer that is used again.
      begun.push(isLast ? bytes : new Uint8Array(bytes));
      if (!isLast) return undefined;
      const text = Buffer.concat(begun).toString();
      clear();
      return { text };
    },
  };
}
