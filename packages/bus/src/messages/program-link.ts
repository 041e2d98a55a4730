// One end of the connection of a program: whole messages out of pieces, numbered in both directions. It must never pass on
// a message that has a gap, nor hold more of an unfinished one than its bound.

import { DecodeError } from '../wire/codec.ts';
import { type ProgramPiece, ProgramRules } from './program.ts';
import { decodeProgramReport, encodeProgramReport, type ProgramReport } from './program-acts.ts';
import { createMessageSender, createParts, messagesIn } from './program-messages.ts';

export type ProgramLink = {
  /** Sends a message in pieces, or together with others of this turn. */
  send(text: string): void;
  /** Tells the other end what the program has done. */
  report(report: ProgramReport): void;
  /** Tells the other end what acts are held to from now on. */
  setRules(rules: ProgramRules): void;
  /**
   * Resolves when the program has heard everything that was sent before, and what it said until then has come; also when the
   * connection is over. Only for the end that has the browser.
   */
  roundTrip(): Promise<void>;
  /** The program has heard this ping. */
  pong(ping: Uint8Array): void;
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
  /** The other end asks for a `pong` with these bytes when the program has heard everything so far, at the end that has the program. */
  onPing?(ping: Uint8Array): void;
  /** Once. */
  onEnd(reason: string): void;
  /** Of a message that comes. */
  maxMessageBytes: number;
  /** Whether the other end knows `several`. */
  turns?: boolean | undefined;
  beatMs?: number;
  /** After so long without a word of the other end, it is gone. */
  silentMs?: number;
};

const empty = new Uint8Array();
const usualBeatMs = 1000;
const usualSilentMs = 4000;

export function createProgramLink(options: Options): ProgramLink {
  const { publish, onEnd, maxMessageBytes } = options;
  const { turns = false, beatMs = usualBeatMs, silentMs = usualSilentMs } = options;
  let sent = 0;
  let received = 0;
  let isOver = false;
  const parts = createParts(maxMessageBytes);
  const trips = createTrips();
  /** An end of an older release knows no `pong`. A program may send one that nobody asked for. */
  let isPinged = false;
  let heardAt = performance.now();

  function over(reason: string): void {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    parts.clear();
    trips.end();
    onEnd(reason);
  }

  function putNow(kind: ProgramPiece['kind'], bytes: Uint8Array): void {
    if (isOver) return;
    const isSent = publish({ kind, seq: sent, bytes });
    sent = (sent + 1) >>> 0;
    if (!isSent) over('the connection inside the installation broke');
  }
  const messages = createMessageSender(putNow, turns);
  function put(kind: ProgramPiece['kind'], bytes: Uint8Array): void {
    messages.flush();
    putNow(kind, bytes);
  }

  function end(reason: string): void {
    put('end', Buffer.from(reason.slice(0, 200)));
    over(reason);
  }

  const hear = createHearing({ ...options, trips, end, isOver: () => isOver }, parts);

  const timer = setInterval(() => {
    if (performance.now() - heardAt > silentMs) over('the other end is silent');
    else put('beat', empty);
  }, beatMs).unref();

  return {
    send: messages.send,
    leave: () => put('leave', empty),
    report: (report) => put('acts', encodeProgramReport(report)),
    setRules: (rules) => put('rules', Buffer.from(JSON.stringify(rules))),
    roundTrip() {
      if (isOver) return Promise.resolve();
      const { ping, over } = trips.begin();
      put('ping', ping);
      return over;
    },
    pong(ping) {
      if (isPinged) put('pong', ping);
    },
    take({ kind, seq, bytes }) {
      if (isOver) return;
      heardAt = performance.now();
      const isNext = seq === received;
      received = (received + 1) >>> 0;
      if (!isNext) end('a message was lost on the way');
      else if (kind === 'end') over(Buffer.from(bytes).toString());
      else {
        isPinged ||= kind === 'ping';
        hear[kind](bytes);
      }
    },
    end,
  };
}

type Hearing = Pick<Options, 'onMessage' | 'onReport' | 'onRules' | 'onLeave' | 'onPing'> & {
  trips: ReturnType<typeof createTrips>;
  end(reason: string): void;
  isOver(): boolean;
};

/** What comes, by the kind of its piece. */
function createHearing(
  { onMessage, onReport, onRules, onLeave, onPing, trips, end, isOver }: Hearing,
  parts: ReturnType<typeof createParts>,
): Record<Exclude<ProgramPiece['kind'], 'end'>, (bytes: Uint8Array) => void> {
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
  return {
    more: (bytes) => join(bytes, false),
    last: (bytes) => join(bytes, true),
    several(bytes) {
      for (const text of messagesIn(bytes)) if (!isOver()) onMessage(text);
    },
    beat: () => {},
    acts: (bytes) => hear(readReport(bytes), onReport),
    rules: (bytes) => hear(readRules(bytes), onRules),
    leave: () => onLeave?.(),
    ping: (bytes) => onPing?.(bytes),
    pong: trips.heard,
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

/** Pings by their number. A later one is not heard before an earlier one. */
function createTrips() {
  const waiting = new Map<number, () => void>();
  let last = 0;
  const resolve = (isMeant: (n: number) => boolean) => {
    for (const [n, over] of waiting) if (isMeant(n) && waiting.delete(n)) over();
  };
  return {
    begin(): { ping: Uint8Array; over: Promise<void> } {
      last += 1;
      const { promise, resolve: over } = Promise.withResolvers<void>();
      waiting.set(last, over);
      return { ping: Buffer.from(String(last)), over: promise };
    },
    heard: (ping: Uint8Array) => resolve((n) => n <= Number(Buffer.from(ping).toString())),
    end: () => resolve(() => true),
  };
}
