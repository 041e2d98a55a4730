import { Step } from '../step.ts';
import { instructions } from './instructions.ts';
import { Mistake } from './mistake.ts';
import { nearestOf } from './nearest.ts';
import type { Draft } from './part.ts';

/** The contract has the last word, and its objection points at where the field was said. */
export function judge({ fields, columns }: Draft, column: number): Step {
  const result = Step.safeParse(fields);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = String(issue?.path[0] ?? '');
  if (name === 'action')
    throw new Mistake(columns.get('') ?? column, 'This is no action.', nearestAction(fields.action));
  const place = columns.get(name) ?? columns.get('') ?? column;
  throw new Mistake(place, `${issue ? describeIssue(issue) : 'This is no step'}.`);
}

type Issue = NonNullable<ReturnType<typeof Step.safeParse>['error']>['issues'][number];

/** Of the objections to each way to read a union, the one about the value rather than its shape. */
function describeIssue(issue: Issue): string {
  const all = issue.code === 'invalid_union' ? [...issue.errors.flat(), issue] : [issue];
  const told = all.find(({ code }) => ['too_big', 'too_small', 'custom'].includes(code)) ?? issue;
  const name = issue.path.join('.');
  if (told.code === 'too_small' && told.origin === 'string') return `The ${name} is empty`;
  if (told.code === 'too_big' && told.origin === 'string')
    return `The ${name} is longer than ${told.maximum} characters`;
  return `${name}: ${told.message}`;
}

function nearestAction(action: unknown): string | undefined {
  const actions = new Set(instructions.map((instruction) => instruction.action));
  return typeof action === 'string' ? nearestOf(action, actions) : undefined;
}
