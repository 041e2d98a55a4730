// What follows a model that says it is done: the result is checked against the schema of the request, and is delivered only
// where it fits.

import type { Json, Task, TaskResult } from '@pilothouse/contract';
import type { DecisionRow } from '@pilothouse/store';
import { StoredActions } from './actions.ts';
import { checkData } from './data-check.ts';
import { type ToolInput, toolTable } from './tools.ts';

type Finish = ToolInput<'finish'>;
export type Ending = { move: 'finish'; result: TaskResult } | { move: 'fail'; reason: string } | { repair: string };

const maxRepairs = 2;
/** Begins the reason of a finish that was given back to the model. */
const invalid = 'The data does not fit the schema';
const unseen = 'These values were seen nowhere';
const correct = 'Correct them, or finish again: they are delivered with that mark.';

/** The finish that a decision made, and that was accepted; undefined where it made none. */
export function finishOf({ actions }: DecisionRow): Finish | undefined {
  const call = StoredActions.parse(actions).calls.find(
    ({ name, refused }) => name === 'finish' && refused === undefined,
  );
  return call && toolTable.finish.schema.parse(call.input);
}

type Ended = {
  /** What was read and downloaded. */
  read: TaskResult;
  settings: Task['settings'];
  decisions: DecisionRow[];
  /** Everything that the model can have a value from. */
  texts: string[];
};

export async function endingOf(finish: Finish, { read, settings, decisions, texts }: Ended): Promise<Ending> {
  const { state, summary } = finish;
  if (state === 'impossible') return { move: 'fail', reason: summary };
  const data = (finish.data as Json | undefined) ?? read.data;
  const { problem, ungrounded } = await checkData(data, { schema: settings.output_schema, texts });
  if (!problem) {
    const result = { ...read, summary, data, state, ...(ungrounded.length > 0 && { ungrounded }) };
    const isTold = ungrounded.length === 0 || decisions.some((one) => wasRefused(one, unseen));
    return isTold ? { move: 'finish', result } : { repair: `${unseen}: ${ungrounded.join(', ')}. ${correct}` };
  }
  if (decisions.filter((one) => wasRefused(one, invalid)).length < maxRepairs)
    return { repair: `${invalid}: ${problem}. Finish again.` };
  return { move: 'fail', reason: `${invalid}, after ${maxRepairs} repairs: ${problem}.` };
}

const wasRefused = ({ actions }: DecisionRow, why: string): boolean =>
  StoredActions.parse(actions).calls.some(({ name, refused }) => name === 'finish' && refused?.startsWith(why));
