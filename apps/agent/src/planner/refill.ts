// What was filled into a page is lost with its browser: which of the given steps before the next one have to fill it in again.
// Reads the ledger, writes nothing.

import type { Step } from '@pilothouse/contract';
import type { StepRow } from '@pilothouse/store';
import { isOnceOnly } from '../policy/irreversible.ts';

type Actions = ReadonlySet<Step['action']>;
/** What they put into a page is only there until the page sends it. Done again, they give the page the same value. */
const filling: Actions = new Set(['type', 'select', 'check']);
/** What was filled in before stands after them. */
const sparing: Actions = new Set(['wait', 'extract', 'screenshot', 'scroll', 'hover', 'ask']);
/** Nobody needs what is in the page before them. */
const leaving: Actions = new Set(['navigate', 'back', 'forward', 'reload']);

export type Fills = {
  /** The first step whose value is lost, and since when a person must not have driven: their work would be overwritten. */
  lost?: { index: number; since: Date };
  /** The oldest epoch under which a value was filled in that is still in the page. */
  filledUnder?: number;
};
type Fill = { index: number; epoch: number; since: Date };

/**
 * Looks at the fields that were filled in directly before the step at `index`, up to the last step that did something else:
 * what a click has done in a page is not known, and is not repeated. `openedEpoch`: that under which the browser was opened.
 * Only a success says that a value is in the page: attempts after it are those of filling it in again, and the limits of any step hold.
 */
export function fillsBefore(plan: Step[], rows: StepRow[], index: number, openedEpoch: number): Fills {
  const next = plan[index - 1];
  if (!next || leaving.has(next.action)) return {};
  if (rows.some((row) => row.index === index && row.status === 'running')) return {};
  const fills = fieldsBefore(plan, rows, index);
  const lost = fills.filter(({ epoch }) => epoch < openedEpoch);
  const standing = fills.filter((one) => !lost.includes(one)).map(({ epoch }) => epoch);
  const [first] = lost;
  return {
    ...(first && { lost: { index: first.index, since: new Date(Math.min(...lost.map(({ since }) => +since))) } }),
    ...(standing.length > 0 && { filledUnder: Math.min(...standing) }),
  };
}

/** In the order of the plan. */
function fieldsBefore(plan: Step[], rows: StepRow[], index: number): Fill[] {
  const fills: Fill[] = [];
  for (let at = index - 1; at > 0; at -= 1) {
    const step = plan[at - 1];
    if (!step) break;
    if (sparing.has(step.action)) continue;
    const attempts = rows.filter((row) => row.index === at);
    const last = attempts.findLastIndex(({ status }) => status === 'success');
    const done = attempts[last];
    // A person's yes to filling it in again is for that attempt, which may not have begun.
    if (!done || !filling.has(step.action) || isOnceOnly({ step, attempts: attempts.slice(0, last + 1) })) break;
    fills.unshift({ index: at, epoch: done.epoch, since: done.effect_at ?? done.intent_at });
  }
  return fills;
}

/** The attempts that count for a step that is done again: those after its success. */
export const attemptsSince = (attempts: StepRow[]): StepRow[] =>
  attempts.slice(attempts.findLastIndex(({ status }) => status === 'success') + 1);
