// Parses a script.

import { maxSteps, type Step } from '../tasks/step.ts';
import { instructions } from './instructions.ts';
import type { Variables } from './lexer.ts';
import { readLine } from './line.ts';
import { Mistake } from './mistake.ts';

/** An error in a script. */
export type ScriptError = {
  /** The first is 1. */
  line: number;
  /**
   * The first is 1; counted as JavaScript counts characters. Just after the line where something is missing at its end.
   */
  column: number;
  message: string;
  /** The nearest valid text, if there is one. */
  nearest?: string;
};

export type ParsedScript =
  | { ok: true; steps: Step[] /** For each step its line. */; lines: number[] }
  | { ok: false; errors: ScriptError[] };

/** More errors would not be read by anyone. */
const maxErrors = 20;

/** A value in `variables` overrides a `let` of the same name, which then is only its default. */
export function parseScript(
  text: string,
  { variables = {} }: { variables?: Record<string, string> } = {},
): ParsedScript {
  const given = new Map(Object.entries(variables));
  const known: Variables = new Map(given);
  const steps: Step[] = [];
  const lines: number[] = [];
  const errors: ScriptError[] = [];

  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    try {
      const said = readLine(line, known);
      if (said && 'name' in said) {
        if (!given.has(said.name)) known.set(said.name, said.value);
      } else if (said) {
        if (steps.length === maxSteps) throw new Mistake(said.column, `A script has at most ${maxSteps} steps.`);
        steps.push(said.step);
        lines.push(index + 1);
      }
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      errors.push(toError(index + 1, error));
      if (errors.length === maxErrors || steps.length === maxSteps) break;
    }
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, steps, lines };
}

/** Whether the text is a script without errors, with at least one step. */
export function isScript(text: string): boolean {
  const script = parseScript(text);
  return script.ok && script.steps.length > 0;
}

/**
 * Whether a text that is no script was meant as one: a line of it is an instruction, and at least half of them begin as one.
 * Its mistakes are told then, instead of the text being given to a model.
 */
export function isMeantAsScript(text: string): boolean {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => !/^\s*(#.*)?$/.test(line));
  const hasInstruction = lines.some((line) => parseScript(line).ok);
  return hasInstruction && 2 * lines.filter((line) => beginning.test(line)).length >= lines.length;
}

const words = new Set(instructions.flatMap(({ phrases }) => phrases.flatMap((phrase) => phrase.split(' ')[0] ?? [])));
const beginning = new RegExp(`^\\s*(?:${[...words, 'let'].join('|')})\\b`, 'i');

function toError(line: number, { column, message, nearest }: Mistake): ScriptError {
  if (nearest === undefined) return { line, column, message };
  return { line, column, message: `${message} Did you mean \`${nearest}\`?`, nearest };
}
