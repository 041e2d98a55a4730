// What follows a model that says it is done: the result is checked against the schema of the request, and is delivered only
// where it fits.

import type { Json, Task, TaskResult } from '@pilothouse/contract';
import type { DecisionRow } from '@pilothouse/store';
import { z } from 'zod';
import { StoredActions } from './actions.ts';
import { type ToolInput, toolTable } from './tools.ts';

type Finish = ToolInput<'finish'>;
export type Ending = { move: 'finish'; result: TaskResult } | { move: 'fail'; reason: string } | { repair: string };

const maxRepairs = 2;
const shownProblems = 3;
/** Begins the reason of a finish that was given back to the model. */
const invalid = 'The data does not fit the schema';

/** The finish that a decision made, and that was accepted; undefined where it made none. */
export function finishOf({ actions }: DecisionRow): Finish | undefined {
  const call = StoredActions.parse(actions).calls.find(
    ({ name, refused }) => name === 'finish' && refused === undefined,
  );
  return call && toolTable.finish.schema.parse(call.input);
}

export function endingOf(
  finish: Finish,
  read: TaskResult,
  settings: Task['settings'],
  decisions: DecisionRow[],
): Ending {
  const { state, summary } = finish;
  if (state === 'impossible') return { move: 'fail', reason: summary };
  const data = (finish.data as Json | undefined) ?? read.data;
  const problem = settings.output_schema ? problemOf(data, settings.output_schema) : undefined;
  if (!problem) return { move: 'finish', result: { ...read, summary, data, state } };
  if (decisions.filter(wasInvalid).length < maxRepairs) return { repair: `${invalid}: ${problem}. Finish again.` };
  return { move: 'fail', reason: `${invalid}, after ${maxRepairs} repairs: ${problem}.` };
}

const wasInvalid = ({ actions }: DecisionRow): boolean =>
  StoredActions.parse(actions).calls.some(({ name, refused }) => name === 'finish' && refused?.startsWith(invalid));

/** The server compiled the schema before it took the task. */
function problemOf(data: unknown, schema: object): string | undefined {
  const read = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(data);
  if (read.success) return undefined;
  return read.error.issues
    .slice(0, shownProblems)
    .map(({ path, message }) => `${path.length > 0 ? path.join('.') : 'data'}: ${message}`)
    .join('; ');
}
