import type { Step } from '../step.ts';
import { instructions } from './instructions.ts';
import { type Fields, writeAll } from './part.ts';
import { quote, quoteJson } from './quote.ts';

/** Writes steps as a script, one instruction a line. `parseScript` gives the same steps back. */
export function printScript(steps: readonly Step[]): string {
  return steps.map(printStep).join('\n');
}

function printStep(step: Step): string {
  const { action, title, irreversible, ...fields } = step;
  // That a step is not irreversible goes without saying; where it was said, only JSON keeps it.
  const line = irreversible === false ? undefined : printFields(action, fields);
  if (line === undefined) return `step ${quoteJson(step)}`;
  return `${irreversible ? '!' : ''}${line}${title === undefined ? '' : ` -- ${quote(title)}`}`;
}

/** Undefined where no instruction says all of the step and nothing else. */
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
