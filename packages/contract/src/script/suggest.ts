// Suggests what a line that is not an instruction was probably meant to be.
import { type Instruction, instructions } from './instructions.ts';
import type { Token } from './lexer.ts';
import { Mistake, show } from './mistake.ts';
import { nearestOf } from './nearest.ts';
import { quote } from './quote.ts';

/** `click Sign in` lacks only the quotes. */
export function withQuotes({ phrases, shape }: Instruction, values: Token[], line: string): string | undefined {
  const [first] = values;
  const last = values.at(-1);
  const lacksQuotes = shape === `${phrases[0]} "…"`;
  if (!first || !last || !lacksQuotes || values.some(({ kind }) => kind === 'quoted')) return undefined;
  const said = line.slice(first.column - 1, last.column - 1 + last.raw.length);
  return said.length > 100 ? undefined : shape.replace('"…"', () => quote(said));
}

export function unknown(first: Token, words: string[]): Mistake {
  const shapes = new Map<string, string>();
  for (const { phrases, shape } of instructions) {
    for (const phrase of phrases) if (!shapes.has(phrase)) shapes.set(phrase, shape);
  }
  const phrases = [...shapes.keys()];
  // The longest similar beginning is the best match: "doubel click" before "doubel".
  const near = [4, 3, 2, 1]
    .filter((count) => count <= words.length)
    .map((count) =>
      nearestOf(
        words.slice(0, count).join(' '),
        phrases.filter((phrase) => phrase.split(' ').length === count),
      ),
    )
    .find((phrase) => phrase !== undefined);
  const begun = near ?? phrases.find((phrase) => phrase.split(' ')[0] === words[0]);
  const message = `${show(first.raw)} is not an instruction.`;
  if (begun !== undefined) return new Mistake(first.column, message, shapes.get(begun));
  return new Mistake(
    first.column,
    `${message} One begins with a word such as open, click, type, press, wait or extract.`,
  );
}
