// The one element that is meant, wherever in the page it is. A guess is never acted on: what fits several visible
// elements is ambiguous.

import type { Target } from '@pilothouse/contract';
import { type Deadline, pause } from '../deadline.ts';
import { StepFailure } from '../failure.ts';
import type { Purpose, Query } from './page/find.ts';
import type { Hits } from './page/script.ts';
import { placingOf } from './placing.ts';
import type { Refs } from './refs.ts';
import { type Handle, ScriptError } from './world.ts';
import { FRAME_MS, type View, type Worlds } from './worlds.ts';

const POLL_MS = 50;
/** A page that still grows may yet show the exact name: a part of one counts only after this. */
const PART_AFTER_MS = 300;

export type Spot = { view: View; element: Handle };
type Answer = { view: View; hits: Hits };

export type Finding = { worlds: Worlds; refs: Refs };

export async function findTarget(
  { worlds, refs }: Finding,
  target: Target,
  purpose: Purpose,
  deadline: Deadline,
): Promise<Spot> {
  const begun = performance.now();
  const partAfterMs = Math.min(PART_AFTER_MS, deadline.leftMs() / 2);
  let hasAnswered = false;
  while (!deadline.isOver()) {
    const mayBePart = performance.now() - begun >= partAfterMs;
    try {
      const views = await worlds.all(deadline);
      hasAnswered = true;
      const spot =
        typeof target === 'object' && 'ref' in target
          ? await byRef(target.ref, views, refs, deadline)
          : await best(queryOf(target, purpose, mayBePart), views, refs, deadline);
      if (spot) return spot;
    } catch (error) {
      passOrThrow(error, deadline);
    }
    await pause(POLL_MS, deadline);
  }
  if (!hasAnswered) throw new StepFailure('timeout', 'the page does not answer');
  throw new StepFailure('not_found', 'nothing visible on the page is called so');
}

/** A page in the middle of a navigation has nothing to find, for now. */
export function passOrThrow(error: unknown, deadline: Deadline): void {
  if (error instanceof StepFailure) throw error;
  if (isOfSelector(error)) throw new StepFailure('unsupported', 'this is not a valid selector', { cause: error });
  if (error instanceof ScriptError || deadline.signal.aborted) throw error;
}

const isOfSelector = (error: unknown) => error instanceof ScriptError && /is not a valid selector/.test(error.message);

async function byRef(ref: string, views: View[], refs: Refs, deadline: Deadline): Promise<Spot> {
  const place = refs.whereIs(ref);
  const view = place && views.find(({ world }) => world === place.world);
  if (place && view) {
    const element = await view.world.element(place.mark, deadline);
    if (element) return { view, element };
    throw new StepFailure('not_found', `${ref} is no longer part of the page`);
  }
  if (refs.wasGiven(ref))
    throw new StepFailure('not_found', `the document that ${ref} was part of is gone, or not in front`);
  throw new StepFailure('not_found', `no element was called ${ref}`);
}

function queryOf(target: Exclude<Target, { ref: string }>, purpose: Purpose, mayBePart: boolean): Query {
  const query = { role: undefined, purpose, mayBePart };
  if (typeof target === 'string') return { ...query, by: 'name', what: target };
  if ('name' in target) return { ...query, by: 'name', what: target.name, role: target.role };
  if ('text' in target) return { ...query, by: 'text', what: target.text };
  if ('label' in target) return { ...query, by: 'label', what: target.label };
  return { ...query, by: 'css', what: target.css };
}

async function best(query: Query, views: View[], refs: Refs, deadline: Deadline): Promise<Spot | undefined> {
  const answers = await Promise.all(views.map((view) => ask(view, query, deadline)));
  const found = answers.flatMap((answer) => answer ?? []).sort((one, other) => one.hits.level - other.hits.level);
  for (const { hits } of found) {
    const level = found.filter((answer) => answer.hits.level === hits.level);
    const visible = await visibleOf(level, deadline);
    const [only] = visible;
    if (!only) continue;
    if (countOf(visible) > 1) throw new StepFailure('ambiguous', told(visible, refs));
    const element = await only.view.world.element(only.hits.marks[0] ?? 0, deadline);
    return element && { view: only.view, element };
  }
  return undefined;
}

async function ask(view: View, query: Query, deadline: Deadline): Promise<Answer | undefined> {
  const bounded = view.parent ? deadline.atMost(FRAME_MS) : deadline;
  try {
    const hits = await view.world.call('find', [query], bounded);
    return hits ? { view, hits } : undefined;
  } catch (error) {
    // A frame that hangs or goes away hides nothing of the rest.
    if (!view.parent || isOfSelector(error)) throw error;
    return undefined;
  }
}

/** Documents in frames do not know whether their frame can be seen. */
async function visibleOf(answers: Answer[], deadline: Deadline): Promise<Answer[]> {
  const seen = await Promise.all(
    answers.map(async (answer) => !answer.view.parent || (await placingOf(answer.view, deadline)) !== undefined),
  );
  return answers.filter((_, index) => seen[index]);
}

const countOf = (answers: Answer[]) => answers.reduce((sum, { hits }) => sum + hits.count, 0);

/** Says which, so that whoever asked can choose. Names stay out: they quote the page. */
function told(answers: Answer[], refs: Refs): string {
  const some = answers.flatMap(({ view, hits }) =>
    hits.marks.map((mark, index) => `${refs.give(view.world, mark)} ${hits.roles[index] ?? ''}`.trim()),
  );
  return `${countOf(answers)} visible elements match: ${some.slice(0, 5).join(', ')}`;
}
