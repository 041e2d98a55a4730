// What each part of a line is, for editors. It reads lines that are still being written, so nothing here fails.

import { type Instruction, instructions } from './instructions.ts';
import { closers, variableName, word } from './lexer.ts';

export type MarkKind = 'instruction' | 'word' | 'text' | 'variable' | 'comment' | 'mark';

/** From an index of the line up to another. A variable in a text lies within the mark of the text. */
export type LineMark = { from: number; to: number; kind: MarkKind };

type Piece = { kind: 'text' | 'word'; from: number; to: number; raw: string };

/** Lines that no instruction describes: how they begin, and a minimal example. */
export const otherLines = [
  { phrases: ['let'], shape: 'let name = "…"' },
  { phrases: ['step'], shape: 'step {"action": "reload"}' },
] as const;

export function markLine(line: string): LineMark[] {
  const marks: LineMark[] = [];
  const add = (kind: MarkKind, from: number, to: number) => void marks.push({ from, to, kind });
  const start = line.search(/\S/);
  if (start < 0) return marks;
  const isMarked = line[start] === '!';
  if (isMarked) add('mark', start, start + 1);
  const { pieces, comment } = cutLine(line, isMarked ? start + 1 : start);
  const other = isMarked ? undefined : pieces[0]?.raw.toLowerCase();
  if (other === 'let') markAssignment(pieces, add);
  else if (pieces[0]?.raw.toLowerCase() === 'step') add('instruction', pieces[0].from, pieces[0].to);
  else markInstruction(pieces, add);
  for (const { kind, from, to, raw } of pieces) {
    if (kind === 'text') add('text', from, to);
    for (const { index, 0: reference } of raw.matchAll(new RegExp(`\\{${variableName.source}\\}`, 'gu')))
      if (raw[index - 1] !== '\\') add('variable', from + index, from + index + reference.length);
  }
  if (comment !== undefined) add('comment', comment, line.length);
  return marks.sort((a, b) => a.from - b.from || b.to - a.to);
}

type Add = (kind: MarkKind, from: number, to: number) => void;

function markAssignment([first, name]: Piece[], add: Add): void {
  if (first) add('instruction', first.from, first.to);
  const length = /^[^=]*/.exec(name?.raw ?? '')?.[0].length ?? 0;
  if (name?.kind === 'word' && length > 0) add('variable', name.from, name.from + length);
}

function markInstruction(pieces: Piece[], add: Add): void {
  const begun = readBeginning(pieces.map(({ kind, raw }) => (kind === 'word' ? raw : undefined)));
  for (const [index, { kind, from, to, raw }] of pieces.entries()) {
    if (kind !== 'word') continue;
    if (index < begun.length) add('instruction', from, to);
    else if (/^(?:--|—|–)$/.test(raw)) add('mark', from, to);
    else if (begun.words.has(raw.toLowerCase())) add('word', from, to);
  }
}

/** The instructions with which a line can have begun: the longest beginning wins. */
function readBeginning(words: (string | undefined)[]): { length: number; words: Set<string>; fits: Instruction[] } {
  let length = 0;
  let fits: Instruction[] = [];
  for (const instruction of instructions) {
    for (const phrase of instruction.phrases) {
      const said = phrase.split(' ');
      if (said.length < length || !said.every((one, index) => words[index]?.toLowerCase() === one)) continue;
      if (said.length > length) fits = [];
      length = said.length;
      fits.push(instruction);
    }
  }
  return { length, words: new Set(fits.flatMap(({ parts }) => parts.flatMap((part) => part.words))), fits };
}

/** The next words of longer beginnings: `for` and `until` after `wait`. */
function continueBeginning(words: (string | undefined)[]): string[] {
  return instructions
    .flatMap(({ phrases }) => phrases.map((phrase) => phrase.split(' ')))
    .filter((phrase) => words.every((word, index) => word?.toLowerCase() === phrase[index]))
    .flatMap((phrase) => phrase[words.length] ?? []);
}

/** What can be written at the end of an unfinished line: beginnings of instructions, or words of the one it has. */
export function suggestNext(before: string): { isBeginning: true } | { isBeginning: false; words: string[] } {
  const start = before.search(/[^\s!]|$/);
  const { pieces, comment } = cutLine(before, start);
  const last = pieces.at(-1);
  const isOpen = last?.kind === 'text' && !isClosed(last.raw);
  if (comment !== undefined || isOpen) return { isBeginning: false, words: [] };
  // The word that is being written does not count as said.
  const said = last?.kind === 'word' && last.to === before.length ? pieces.slice(0, -1) : pieces;
  if (said.length === 0) return { isBeginning: true };
  const spoken = said.map(({ kind, raw }) => (kind === 'word' ? raw : undefined));
  const words = [...new Set([...continueBeginning(spoken), ...readBeginning(spoken).words])];
  return { isBeginning: false, words };
}

/** The instruction that a line has, with its other forms; undefined if it has none. */
export function describeLine(line: string): { length: number; shapes: string[]; others: string[] } | undefined {
  const start = line.search(/[^\s!]|$/);
  const { pieces } = cutLine(line, start);
  const { length, fits } = readBeginning(pieces.map(({ kind, raw }) => (kind === 'word' ? raw : undefined)));
  const end = pieces[length - 1]?.to;
  if (end === undefined) return undefined;
  const [first] = fits;
  const others = (first?.phrases ?? []).filter((phrase) => phrase !== line.slice(start, end).toLowerCase());
  return { length: end, shapes: [...new Set(fits.map(({ shape }) => shape))], others };
}

/** Words and quoted texts up to the comment; a quote that is not closed goes to the end. */
function cutLine(line: string, from: number): { pieces: Piece[]; comment: number | undefined } {
  const pieces: Piece[] = [];
  for (let at = from; at < line.length; ) {
    const sign = line[at] ?? '';
    if (/\s/.test(sign)) {
      at += 1;
      continue;
    }
    if (sign === '#') return { pieces, comment: at };
    const isQuote = closers.has(sign);
    const to = isQuote ? endOfQuote(line, at) : endOfWord(line, at);
    pieces.push({ kind: isQuote ? 'text' : 'word', from: at, to, raw: line.slice(at, to) });
    at = to;
  }
  return { pieces, comment: undefined };
}

function endOfWord(line: string, at: number): number {
  word.lastIndex = at;
  return at + Math.max(1, word.exec(line)?.[0].length ?? 1);
}

function endOfQuote(line: string, start: number): number {
  const close = closers.get(line[start] ?? '') ?? '';
  for (let at = start + 1; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (close.includes(line[at] ?? '')) return at + 1;
  }
  return line.length;
}

const isClosed = (raw: string): boolean =>
  raw.length > 1 && (closers.get(raw[0] ?? '') ?? '').includes(raw.at(-1) ?? ' ') && raw.at(-2) !== '\\';
