// Reads the tokens of one instruction.

import type { Token } from './lexer.ts';
import { Mistake, show } from './mistake.ts';

export function createReader(tokens: Token[], endColumn: number) {
  let index = 0;
  const peek = (ahead = 0): Token | undefined => tokens[index + ahead];

  return {
    peek,
    /** The word at the position, in lower case; undefined for a quoted text, or one from a variable. */
    word(ahead = 0): string | undefined {
      const token = peek(ahead);
      return token?.kind === 'word' ? token.raw.toLowerCase() : undefined;
    },
    skip(count = 1) {
      index += count;
    },
    column: () => peek()?.column ?? endColumn,
    /** A mistake at the current token: what is expected, and what is there. */
    expected(what: string, nearest?: string): Mistake {
      const token = peek();
      if (!token) return new Mistake(endColumn, `Expected ${what}, but the line ends here.`, nearest);
      return new Mistake(token.column, `Expected ${what}, found ${show(token.raw)}.`, nearest);
    },
    /** Only a full stop may be left. */
    isOver: () => index >= tokens.length || (index === tokens.length - 1 && isSentenceEnd(peek())),
  };
}

export type Reader = ReturnType<typeof createReader>;

export function isSentenceEnd(token: Token | undefined): boolean {
  return token?.kind === 'word' && /^[.,;]+$/.test(token.raw);
}
