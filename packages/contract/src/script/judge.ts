// Checks a parsed step against the contract.

import { Step } from '../tasks/step.ts';
import { instructions } from './instructions.ts';
import { Mistake } from './mistake.ts';
import { nearestOf } from './nearest.ts';
import type { Draft } from './part.ts';

/** An error points at the column where the field was written. */
export function judge({ fields, columns }: Draft, column: number): Step {
  const result = Step.safeParse(fields);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = String(issue?.path[0] ?? '');
  if (name === 'action')
    throw new Mistake(columns.get('') ?? column, 'This is not an action.', nearestAction(fields.action));
  const at = columns.get(name) ?? columns.get('') ?? column;
  throw new Mistake(at, `${issue ? describeIssue(issue) : 'This is not a step'}.`);
}

type Issue = NonNullable<ReturnType<typeof Step.safeParse>['error']>['issues'][number];

/** Of the issues with the members of a union, the one about the value rather than its shape. */
function describeIssue(issue: Issue): string {
  const all = issue.code === 'invalid_union' ? [...issue.errors.flat(), issue] : [issue];
  const main = all.find(({ code }) => ['too_big', 'too_small', 'custom'].includes(code)) ?? issue;
  const name = issue.path.join('.');
  if (main.code === 'too_small' && main.origin === 'string') return `The ${name} is empty`;
  if (main.code === 'too_big' && main.origin === 'string')
    return `The ${name} is longer than ${main.maximum} characters`;
  return `${name}: ${main.message}`;
}

function nearestAction(action: unknown): string | undefined {
  const actions = new Set(instructions.map((instruction) => instruction.action));
  return typeof action === 'string' ? nearestOf(action, actions) : undefined;
}
