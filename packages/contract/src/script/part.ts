// The parts an instruction is made of. Each reads and writes the same words, so that parse and print cannot drift
// apart.
import { WebUrl } from '../types/url.ts';
import { show } from './mistake.ts';
import { quote, quoteIfNeeded } from './quote.ts';
import { isSentenceEnd, type Reader } from './reader.ts';

/** The fields of a step, before they are checked against the contract. */
export type Fields = Record<string, unknown>;

export type Draft = {
  fields: Fields;
  /** The column of each field. */
  columns: Map<string, number>;
};

export type Part = {
  /** An example. */
  shape: string;
  /** The words of the language that it may say; empty if it has only values. For editors. */
  words: readonly string[];
  /** The fields that it sets. */
  fields: string[];
  /** Whether it begins here; called if it is optional. */
  isNext(reader: Reader): boolean;
  /** Throws a `Mistake` if it is not there. */
  read(reader: Reader, draft: Draft): void;
  /** Undefined if it cannot express the fields. */
  write(fields: Fields): string | undefined;
};

/** A word between values. The first is printed. */
export function keyword(...words: [string, ...string[]]): Part {
  const isNext = (reader: Reader) => words.includes(reader.word() ?? '');
  return {
    shape: words[0],
    words,
    fields: [],
    isNext,
    read(reader) {
      if (!isNext(reader)) throw reader.expected(show(words[0]));
      reader.skip();
    },
    write: () => words[0],
  };
}

/** One field with one value. */
export function field(name: string, value: Value): Part {
  return {
    shape: value.shape,
    words: value.words,
    fields: [name],
    isNext: value.isNext,
    read(reader, draft) {
      draft.columns.set(name, reader.column());
      draft.fields[name] = value.read(reader);
    },
    write: (fields) => (fields[name] === undefined ? undefined : value.write(fields[name])),
  };
}

export type Value = Pick<Part, 'shape' | 'words' | 'isNext'> & {
  read(reader: Reader): unknown;
  write(value: unknown): string | undefined;
};

/** Parts that are present together, or not at all. */
export function optional(...parts: [Part, ...Part[]]): Part {
  const names = parts.flatMap(({ fields }) => fields);
  return {
    shape: '',
    words: parts.flatMap(({ words }) => words),
    fields: names,
    isNext: parts[0].isNext,
    read(reader, draft) {
      if (!parts[0].isNext(reader)) return;
      for (const part of parts) part.read(reader, draft);
    },
    write: (fields) => (names.every((name) => fields[name] === undefined) ? '' : writeAll(parts, fields)),
  };
}

export function writeAll(parts: Part[], fields: Fields): string | undefined {
  const words = parts.map((part) => part.write(fields));
  return words.includes(undefined) ? undefined : words.filter((word) => word !== '').join(' ');
}

/** Text in quotes. */
export const quoted: Value = {
  shape: '"…"',
  words: [],
  isNext: (reader) => reader.peek()?.kind === 'quoted',
  read(reader) {
    const token = reader.peek();
    if (token?.kind !== 'quoted') throw reader.expected('text in quotes');
    reader.skip();
    return token.value;
  },
  write: (value) => (typeof value === 'string' ? quote(value) : undefined),
};

/** A value that needs no quotes if it is one word. */
export const bare = (example: string): Value => ({
  shape: example,
  words: [],
  isNext: (reader) => reader.peek() !== undefined && !isSentenceEnd(reader.peek()),
  read(reader) {
    const token = reader.peek();
    if (!token) throw reader.expected(`something like ${example}`);
    reader.skip();
    return token.value;
  },
  write: (value) => (typeof value === 'string' ? quoteIfNeeded(value) : undefined),
});

const host = /^(?:localhost|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?#].*)?$/iu;
const someAddress = bare('https://example.com');

/** An address; the default scheme is https. */
export const address: Value = {
  ...someAddress,
  read(reader) {
    const mistake = reader.expected('an address such as https://example.com');
    const value = String(someAddress.read(reader));
    // A valid URL stays as it is. Without a dot it could be any word of a sentence.
    if (WebUrl.safeParse(value).success) return value;
    if (host.test(value)) return `https://${value}`;
    throw mistake;
  },
};

/** One word of a closed list. */
export function choice(words: string[]): Value {
  const isNext = (reader: Reader) => words.includes(reader.word() ?? '');
  return {
    shape: words[0] ?? '',
    words,
    isNext,
    read(reader) {
      if (!isNext(reader)) throw reader.expected(`one of ${words.map(show).join(', ')}`);
      const word = reader.word();
      reader.skip();
      return word;
    },
    write: (value) => words.find((word) => word === value),
  };
}

/** The one thing an object says: what says more must not be mistaken for it. */
export function soleEntry(value: unknown): [name: string, value: unknown] | [] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return entries.length === 1 ? (entries[0] ?? []) : [];
}
