import { maxSteps, type Step } from '../step.ts';
import type { Variables } from './lexer.ts';
import { readLine } from './line.ts';
import { Mistake } from './mistake.ts';

/** What a line says that is not understood. */
export type ScriptError = {
  /** The first is 1. */
  line: number;
  /** The first is 1; counted as JavaScript counts characters. Just after the line where something is missing at its end. */
  column: number;
  message: string;
  /** The nearest thing that is understood, where there is one. */
  nearest?: string;
};

export type ParsedScript =
  | { ok: true; steps: Step[] /** For each step the line it stands in. */; lines: number[] }
  | { ok: false; errors: ScriptError[] };

/** More would not be read. */
const maxErrors = 20;

/** Reads a script. A value in `variables` wins over a `let` of the same name, which so becomes its default. */
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

/** Whether the text says at least one step and nothing that is not understood. */
export function isScript(text: string): boolean {
  const script = parseScript(text);
  return script.ok && script.steps.length > 0;
}

function toError(line: number, { column, message, nearest }: Mistake): ScriptError {
  if (nearest === undefined) return { line, column, message };
  return { line, column, message: `${message} Did you mean \`${nearest}\`?`, nearest };
}
