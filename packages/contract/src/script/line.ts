// Parses one line of a script.

import type { Step } from '../tasks/step.ts';
import { type Instruction, instructions } from './instructions.ts';
import { judge } from './judge.ts';
import { cut, type Token, type Variables, variableName } from './lexer.ts';
import { Mistake, show } from './mistake.ts';
import type { Draft } from './part.ts';
import { createReader, isSentenceEnd } from './reader.ts';
import { unknown, withQuotes } from './suggest.ts';

/** A line: a step, the value of a variable, or nothing. */
type Said = { step: Step; column: number } | { name: string; value: string } | undefined;

const assignment = new RegExp(`let\\s+(${variableName.source})\\s*=`, 'iuy');

/** Throws a `Mistake` at the first error. */
export function readLine(line: string, variables: Variables): Said {
  const start = line.search(/\S/);
  if (start < 0 || line[start] === '#') return undefined;
  const isMarked = line[start] === '!';
  const from = isMarked ? start + 1 + line.slice(start + 1).search(/\S|$/) : start;
  const column = from + 1;
  const rest = line.slice(from);

  if (/^let(?=\s|$)/i.test(rest)) {
    if (isMarked) throw new Mistake(start + 1, 'Only a step can be marked with !.');
    return readAssignment(line, from, variables);
  }
  const draft: Draft = /^step(?=[\s{]|$)/i.test(rest) ? readJson(line, from) : readInstruction(line, from, variables);
  if (isMarked) draft.fields.irreversible = true;
  return { step: judge(draft, column), column };
}

function readAssignment(line: string, from: number, variables: Variables): Said {
  assignment.lastIndex = from;
  const match = assignment.exec(line);
  const example = 'let name = "Anna"';
  if (!match) throw new Mistake(from + 4, 'A variable needs a name and a value.', example);
  const [value, ...others] = cut(line, assignment.lastIndex, variables);
  if (!value) throw new Mistake(endOf(line), 'Expected a value, but the line ends here.', example);
  const [next] = others;
  if (next && (others.length > 1 || !isSentenceEnd(next)))
    throw new Mistake(next.column, `${show(next.raw)} comes after the value. Several words need quotes.`, example);
  return { name: match[1] ?? '', value: value.value };
}

/** Any step as JSON, which is the rest of the line. */
function readJson(line: string, from: number): Draft {
  const at = from + 4 + line.slice(from + 4).search(/\S|$/);
  const example = 'step {"action": "reload"}';
  if (line[at] !== '{') throw new Mistake(at + 1, 'Expected JSON after step.', example);
  try {
    // It is checked against the contract next.
    return { fields: JSON.parse(line.slice(at)) as Draft['fields'], columns: new Map([['', at + 1]]) };
  } catch (error) {
    const [, offset] = /at position (\d+)/.exec(String(error)) ?? [];
    const column = offset === undefined ? at + 1 : Math.min(at + Number(offset) + 1, endOf(line));
    throw new Mistake(column, 'The JSON of the step cannot be read.', example);
  }
}

function readInstruction(line: string, from: number, variables: Variables): Draft {
  const tokens = cut(line, from, variables);
  const dash = tokens.findIndex(({ kind, raw }) => kind === 'word' && /^(?:--|—|–)$/.test(raw));
  const body = dash < 0 ? tokens : tokens.slice(0, dash);
  const last = body.at(-1);
  const draft = readBody(body, last ? last.column + last.raw.length : endOf(line), line);
  if (dash >= 0) readTitle(tokens.slice(dash + 1), endOf(line), draft);
  return draft;
}

function readTitle(tokens: Token[], endColumn: number, draft: Draft): void {
  const reader = createReader(tokens, endColumn);
  const title = reader.peek();
  if (title?.kind !== 'quoted') throw reader.expected('the title in quotes', '-- "…"');
  reader.skip();
  if (!reader.isOver()) throw reader.expected('the end of the line');
  draft.fields.title = title.value;
  draft.columns.set('title', title.column);
}

function readBody(tokens: Token[], endColumn: number, line: string): Draft {
  const [first] = tokens;
  if (!first) throw new Mistake(endColumn, 'Expected an instruction.', 'click "…"');
  const words = wordsOf(tokens);
  const candidates = instructions
    .flatMap((instruction) => instruction.phrases.map((phrase) => ({ instruction, phrase: phrase.split(' ') })))
    .filter(({ phrase }) => phrase.every((word, index) => words[index] === word))
    // `open new tab` does not mean an address called `new`.
    .sort((a, b) => b.phrase.length - a.phrase.length);

  let furthest: Mistake | undefined;
  for (const { instruction, phrase } of candidates) {
    const read = readParts(instruction, phrase.length, tokens, endColumn, line);
    if (!(read instanceof Mistake)) return read;
    if (!furthest || read.column > furthest.column) furthest = read;
  }
  throw furthest ?? unknown(first, words);
}

/** The words with which an instruction can begin; a quoted text ends them. */
function wordsOf(tokens: Token[]): string[] {
  const end = tokens.findIndex(({ kind }) => kind !== 'word');
  return tokens.slice(0, end < 0 ? undefined : end).map(({ raw }) => raw.toLowerCase());
}

function readParts(
  instruction: Instruction,
  skipped: number,
  tokens: Token[],
  endColumn: number,
  line: string,
): Draft | Mistake {
  const { action, parts, always, shape } = instruction;
  const reader = createReader(tokens, endColumn);
  reader.skip(skipped);
  const draft: Draft = { fields: { action, ...always }, columns: new Map() };
  try {
    for (const part of parts) part.read(reader, draft);
    if (!reader.isOver()) throw reader.expected('the end of the line');
    return draft;
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    const { column, message, nearest } = error;
    return new Mistake(column, message, nearest ?? withQuotes(instruction, tokens.slice(skipped), line) ?? shape);
  }
}

function endOf(line: string): number {
  return line.trimEnd().length + 1;
}
