// Splits a line of a script into tokens.

import { Mistake, show } from './mistake.ts';
import { nearestOf } from './nearest.ts';

export type Variables = Map<string, string>;

export type Token = {
  kind: 'quoted' | 'word';
  /** As it is written in the line. */
  raw: string;
  /** Without quotes and escapes, variables replaced. */
  value: string;
  column: number;
};

export const variableName = /[\p{L}_][\p{L}\p{N}_-]*/u;

/** The opening quotes, and what closes each; languages differ. */
export const closers = new Map([
  ['"', '"'],
  ['“', '”“'],
  ['”', '”'],
  ['„', '“”'],
  ['«', '»'],
  ['»', '«'],
]);

/** Variables that contain variables could grow without bound; no field of a step is longer. */
const maxLength = 20_000;

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '{': '{', '}': '}' };
export const word = /[^\s"“”„«»]+/y;
/** A full stop after the last word belongs to the sentence, not to the word. */
const isLast = /\s*(?:$|#|(?:--|—|–)(?:[\s"“”„«»]|$))/y;
const sentenceEnd = /(?<=[^+.,;])[.,;]+$/;

/** From an index on, up to the comment. */
export function cut(line: string, from: number, variables: Variables): Token[] {
  const tokens: Token[] = [];
  let at = from;
  for (;;) {
    at += matchAt(/\s*/y, line, at).length;
    if (at >= line.length || line[at] === '#') return tokens;
    const { token, end } = closers.has(line[at] ?? '')
      ? readQuoted(line, at, variables)
      : readWord(line, at, variables);
    tokens.push(token);
    at = end;
  }
}

type TokenRead = { token: Token; end: number };

function readWord(line: string, start: number, variables: Variables): TokenRead {
  const run = matchAt(word, line, start);
  const end = start + run.length;
  const raw = hasMatchAt(isLast, line, end) ? run.replace(sentenceEnd, '') : run;
  let value = '';
  for (let at = start; at < start + raw.length; ) {
    if (line[at] === '{') {
      const variable = readVariable(line, at, variables);
      value = grow(value, variable.value, start);
      at = variable.end;
    } else {
      value += line[at];
      at += 1;
    }
  }
  return { token: { kind: 'word', raw, value, column: start + 1 }, end };
}

function readQuoted(line: string, start: number, variables: Variables): TokenRead {
  const close = closers.get(line[start] ?? '') ?? '';
  let value = '';
  let at = start + 1;
  while (at < line.length) {
    const sign = line[at] ?? '';
    if (close.includes(sign)) {
      const raw = line.slice(start, at + 1);
      return { token: { kind: 'quoted', raw, value, column: start + 1 }, end: at + 1 };
    }
    const part =
      sign === '\\'
        ? readEscape(line, at)
        : sign === '{'
          ? readVariable(line, at, variables)
          : { value: sign, end: at + 1 };
    value = grow(value, part.value, start);
    at = part.end;
  }
  throw new Mistake(start + 1, `The quote that opens here is not closed with ${close[0]}.`);
}

function readEscape(line: string, at: number): { value: string; end: number } {
  const sign = line[at + 1] ?? '';
  const simple = escapes[sign] ?? ([...closers].flat().join('').includes(sign) ? sign : undefined);
  if (sign !== '' && simple !== undefined) return { value: simple, end: at + 2 };
  const code = matchAt(/\\u\{[0-9a-f]{1,6}\}/iy, line, at);
  const point = Number.parseInt(code.slice(3, -1), 16);
  if (code !== '' && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff))
    return { value: String.fromCodePoint(point), end: at + code.length };
  const found = code || line.slice(at, at + 2);
  throw new Mistake(at + 1, `${show(found)} is not a known escape. For a backslash write \\\\.`);
}

function readVariable(line: string, at: number, variables: Variables): { value: string; end: number } {
  // The name of a secret stays as it is: only the command to the browser has the value.
  const secret = matchAt(/\{\{(?:secret|totp):[^{}\s"“”„«»]*\}\}/y, line, at);
  if (secret !== '') return { value: secret, end: at + secret.length };
  const reference = matchAt(new RegExp(`\\{${variableName.source}\\}`, 'uy'), line, at);
  if (reference === '')
    throw new Mistake(at + 1, 'A { begins a variable, such as {name}. For a literal brace write \\{ inside quotes.');
  const name = reference.slice(1, -1);
  const value = variables.get(name);
  if (value !== undefined) return { value, end: at + reference.length };
  const near = nearestOf(name, variables.keys());
  throw new Mistake(
    at + 1,
    `There is no variable ${show(name)}. Give it a value in a line above, such as let ${name} = "…", or write \\{ for a literal brace.`,
    near && `{${near}}`,
  );
}

function grow(value: string, more: string, start: number): string {
  if (value.length + more.length > maxLength)
    throw new Mistake(start + 1, `This is longer than ${maxLength} characters.`);
  return value + more;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function hasMatchAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
