// Prints steps as a script.

import type { Step } from '../tasks/step.ts';
import { instructions } from './instructions.ts';
import { type Fields, writeAll } from './part.ts';
import { quote, quoteJson } from './quote.ts';

/** One instruction a line. `parseScript` returns the same steps. */
export function printScript(steps: readonly Step[]): string {
  return steps.map(printStep).join('\n');
}

function printStep(step: Step): string {
  const { action, title, irreversible, ...fields } = step;
  // `irreversible: false` is the default and is not printed; if it was written explicitly, only JSON preserves it.
  const line = irreversible === false ? undefined : printFields(action, fields);
  if (line === undefined) return `step ${quoteJson(step)}`;
  return `${irreversible ? '!' : ''}${line}${title === undefined ? '' : ` -- ${quote(title)}`}`;
}

/** Undefined if no instruction expresses exactly this step. */
function printFields(action: string, fields: Fields): string | undefined {
  const said = Object.keys(fields).filter((name) => fields[name] !== undefined);
  for (const { action: own, phrases, parts, always } of instructions) {
    const sayable = new Set([...Object.keys(always), ...parts.flatMap((part) => part.fields)]);
    const isFit =
      own === action &&
      said.every((name) => sayable.has(name)) &&
      Object.entries(always).every(([name, value]) => fields[name] === value);
    const words = isFit ? writeAll(parts, fields) : undefined;
    if (words !== undefined) return `${phrases[0]} ${words}`.trimEnd();
  }
  return undefined;
}
