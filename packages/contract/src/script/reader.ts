import type { Token } from './lexer.ts';
import { Mistake, show } from './mistake.ts';

/** Walks over the tokens of one instruction. */
export function createReader(tokens: Token[], endColumn: number) {
  let index = 0;
  const peek = (ahead = 0): Token | undefined => tokens[index + ahead];

  return {
    peek,
    /** The word at the place, in small letters: nothing for what is quoted, or comes from a variable. */
    word(ahead = 0): string | undefined {
      const token = peek(ahead);
      return token?.kind === 'word' ? token.raw.toLowerCase() : undefined;
    },
    skip(count = 1) {
      index += count;
    },
    column: () => peek()?.column ?? endColumn,
    /** A mistake at the present place: what should be here, and what is. */
    expected(what: string, nearest?: string): Mistake {
      const token = peek();
      if (!token) return new Mistake(endColumn, `The line ends where ${what} should come.`, nearest);
      return new Mistake(token.column, `${show(token.raw)} stands where ${what} should come.`, nearest);
    },
    /** Nothing may be left, but for the mark that ends a sentence. */
    isOver: () => index >= tokens.length || (index === tokens.length - 1 && isSentenceEnd(peek())),
  };
}

export type Reader = ReturnType<typeof createReader>;

export function isSentenceEnd(token: Token | undefined): boolean {
  return token?.kind === 'word' && /^[.,;]+$/.test(token.raw);
}
