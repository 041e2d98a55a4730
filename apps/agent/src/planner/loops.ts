// Notices a model that gets nowhere, from the rows of its decisions, so that a restart forgets nothing.

import type { DecisionRow } from '@pilothouse/store';
import { decidedFailure } from '../policy/retries.ts';
import { StoredActions } from './actions.ts';
import { isDeferral } from './settling.ts';

/** `stop` ends the task; `note` is told to the model, with a picture of the page. */
export type Progress = { stop?: string; note?: string };

const limits = { same: { note: 3, stop: 6 }, unchanged: 5, failed: { note: 3, stop: 5 }, unusable: 3, pendulum: 6 };

export function progressOf(decisions: DecisionRow[]): Progress {
  const said = decisions.map((decision) => ({ decision, calls: StoredActions.parse(decision.actions).calls }));
  const isUnusable = ({ calls }: (typeof said)[number]) =>
    calls.every(({ refused }) => refused !== undefined && !isDeferral(refused));
  const unusable = countLast(said, isUnusable);
  if (unusable >= limits.unusable) {
    const why = said.at(-1)?.calls[0]?.refused ?? 'It called no tool.';
    return { stop: `The model gave ${unusable} answers in a row that cannot be used. The last: ${why}` };
  }
  const key = ({ decision, calls }: (typeof said)[number]) =>
    JSON.stringify([decision.view_hash, calls.map(({ name, input }) => [name, input])]);
  const lastKey = said.at(-1) && key(said.at(-1) as (typeof said)[number]);
  const same = countLast(said, (one) => key(one) === lastKey);
  if (same >= limits.same.stop) return { stop: `The model did the same ${same} times, and the page did not change.` };
  const failed = countLast(said, ({ decision }) => decision.status === 'cut' && isFailure(decision));
  if (failed >= limits.failed.stop) return { stop: `${failed} decisions of the model failed in a row.` };
  if (same >= limits.same.note)
    return { note: `You did this ${same} times and the page is still the same. Do something else, or ask or finish.` };
  if (failed >= limits.failed.note)
    return { note: `${failed} decisions failed in a row. Make a new plan with the tool plan.` };
  const hash = said.at(-1)?.decision.view_hash;
  const unchanged = hash ? countLast(said, ({ decision }) => decision.view_hash === hash) : 0;
  if (unchanged >= limits.unchanged) return { note: `The page has not changed over ${unchanged} decisions.` };
  return isPendulum(decisions) ? { note: 'You go back and forth between the same two pages.' } : {};
}

/** It ended because a step of it failed, and not because of a person or of the page. */
const isFailure = ({ cut_reason }: DecisionRow): boolean => cut_reason?.startsWith(decidedFailure) === true;

function countLast<T>(items: T[], holds: (item: T) => boolean): number {
  const end = items.findLastIndex((item) => !holds(item));
  return items.length - 1 - end;
}

function isPendulum(decisions: DecisionRow[]): boolean {
  const urls = decisions.slice(-limits.pendulum).map(({ url }) => url);
  if (urls.length < limits.pendulum || urls[0] === urls[1]) return false;
  return urls.every((url, i) => url === urls[i % 2]);
}
