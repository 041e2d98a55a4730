// When a model gets a picture of the page beside its text: a picture costs about as much as a quarter of the text.

import { decidedFailure } from '../policy/retries.ts';
import { StoredActions } from './actions.ts';
import type { HistoryRows } from './history.ts';

type Decisions = HistoryRows['decisions'];

/** After a failure, when the model gets nowhere, or when it asks. */
export function wantsPicture(decisions: Decisions, isStuck: boolean): boolean {
  const last = decisions.at(-1);
  if (!last || isStuck || last.cut_reason?.startsWith(decidedFailure)) return true;
  return StoredActions.parse(last.actions).calls.some(({ name }) => name === 'look');
}

/** The first look at a path. */
export const isNewPath = (decisions: Decisions, url: string): boolean =>
  !decisions.some((decision) => decision.url !== null && pathOf(decision.url) === pathOf(url));

function pathOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.origin}${parsed.pathname}` : url;
}
