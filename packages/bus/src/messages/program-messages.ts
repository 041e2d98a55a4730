// How messages of a program become pieces, and pieces messages: long ones in parts, and those of one turn together, so that they are
// heard in one turn too.

import { type ProgramPiece, programPieceBytes } from './program.ts';

/** No message has it: it is no character of JSON. */
const between = '\0';
/** Of the messages of one turn. One that is longer is sent alone. */
const maxTurnChars = 200_000;

type PutPiece = (kind: ProgramPiece['kind'], bytes: Uint8Array) => void;

/** `knowsTurns`: whether the other end knows `several`. `flush` sends what was said so far: anything else is sent after it. */
export function createMessageSender(put: PutPiece, knowsTurns: boolean) {
  let said: string[] = [];
  let chars = 0;

  function sendAlone(text: string): void {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length || at === 0; at += programPieceBytes) {
      const piece = bytes.subarray(at, at + programPieceBytes);
      put(at + programPieceBytes < bytes.length ? 'more' : 'last', piece);
    }
  }
  function flush(): void {
    const texts = said;
    said = [];
    chars = 0;
    if (texts.length > 1) put('several', Buffer.from(texts.join(between)));
    else for (const text of texts) sendAlone(text);
  }
  return {
    flush,
    send(text: string): void {
      const isAlone = !knowsTurns || text.length > maxTurnChars;
      if (isAlone || chars + text.length > maxTurnChars) flush();
      chars += isAlone ? 0 : text.length;
      if (isAlone) sendAlone(text);
      else if (said.push(text) === 1) queueMicrotask(flush);
    },
  };
}

/** The messages in a piece of kind `several`. */
export const messagesIn = (bytes: Uint8Array): string[] => textOf(bytes).split(between);

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();

/** The message whose last piece has not come yet. */
export function createParts(maxBytes: number) {
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
      if (!isLast) begun.push(new Uint8Array(bytes));
      if (!isLast) return undefined;
      const text = begun.length === 0 ? textOf(bytes) : Buffer.concat([...begun, bytes]).toString();
      clear();
      return { text };
    },
  };
}
