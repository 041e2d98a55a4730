// The one element that is meant, wherever in the page it is. A guess is never acted on: what fits several visible
// elements is ambiguous.

import type { Target } from '@pilothouse/contract';
import { type Deadline, pause } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { Purpose, Query } from './injected/find.ts';
import type { Hits } from './injected/script.ts';
import type { Refs } from './refs.ts';
import { isOfSite, type Scope, scopeOfFrame, scopeOfPage } from './scope.ts';
import { leastOpacity, positionOf } from './worlds/frame-position.ts';
import { type Handle, ScriptError } from './worlds/world.ts';
import { frameMs, type View, type Worlds } from './worlds/worlds.ts';

const pollMs = 50;
/** A page that still grows may yet show the exact name: a part of one, or a frame, counts only after this. */
const maxPartAfterMs = 300;

export type Spot = { view: View; element: Handle };
type Answer = { view: View; hits: Hits };

export type Finding = { worlds: Worlds; refs: Refs };

/** `isRead`: nothing is given to it or done to it, so it may be of any site. */
type Search = { target: Target; purpose: Purpose; isRead?: boolean };

export async function findTarget({ worlds, refs }: Finding, wanted: Search, deadline: Deadline): Promise<Spot> {
  const begun = performance.now();
  const partAfterMs = Math.min(maxPartAfterMs, deadline.leftMs() / 2);
  let failure = new StepFailure('timeout', 'the page does not answer');
  deadline.note('looking for the element');
  while (!deadline.isOver()) {
    const isLate = performance.now() - begun >= partAfterMs;
    try {
      const views = await worlds.all(deadline);
      if (failure.failure === 'timeout') failure = missing(nowhere);
      const found = await look(views, refs, wanted, isLate, deadline);
      if (!(found instanceof StepFailure)) return found;
      // The last look has little time left: what an earlier one could tell is worth more.
      if (found.message !== nowhere) failure = found;
    } catch (error) {
      passOrThrow(error, deadline);
    }
    await pause(pollMs, deadline);
  }
  throw failure;
}

/** A page in the middle of a navigation has nothing to find, for now. */
export function passOrThrow(error: unknown, deadline: Deadline): void {
  if (error instanceof StepFailure) throw error;
  if (isOfSelector(error)) throw new StepFailure('unsupported', 'this is not a valid selector', { cause: error });
  if (error instanceof ScriptError || deadline.signal.aborted) throw error;
}

const isOfSelector = (error: unknown) => error instanceof ScriptError && /is not a valid selector/.test(error.message);

const missing = (why: string) => new StepFailure('not_found', why);

/** One look at the page as it is. Why nothing was found is returned: it may still come. */
async function look(
  views: View[],
  refs: Refs,
  wanted: Search,
  isLate: boolean,
  deadline: Deadline,
): Promise<Spot | StepFailure> {
  const { target, purpose, isRead } = wanted;
  const frame = typeof target === 'object' ? target.frame : undefined;
  const scope = frame === undefined ? scopeOfPage(views) : await scopeOfFrame(frame, views, deadline);
  if (!scope) return missing('nothing visible on the page is a frame that is called so');
  if (typeof target === 'object' && 'ref' in target) {
    const spot = await byRef(target.ref, frame === undefined ? views : scope.groups.flat(), refs, deadline);
    return refuseSecret(spot, wanted, scope, views, deadline);
  }
  const query = queryOf(target, purpose, isLate);
  const groups = isRead ? [...scope.groups, scope.others] : scope.groups;
  for (const [index, group] of groups.entries()) {
    if (index > 0 && !isLate) break;
    const spot = await best(query, group, refs, deadline);
    if (spot) return refuseSecret(spot, wanted, scope, views, deadline);
  }
  return missing(isLate ? await whyMissing(query, scope, deadline) : nowhere);
}

const nowhere = 'nothing visible on the page is called so';

/** The step may mean a frame of another site, and has to say so. Names stay out: they quote the page. */
async function whyMissing(query: Query, scope: Scope, deadline: Deadline): Promise<string> {
  const { others } = scope;
  if (query.within !== undefined) return notInPart(query, query.within, scope, deadline);
  const answers = await Promise.all(others.map((view) => ask(view, query, deadline)));
  const visible = await visibleOf(
    answers.flatMap((answer) => answer ?? []),
    deadline,
  );
  const [first] = visible;
  if (!first) return nowhere;
  const host = first.view.from?.host;
  const how = host ? `its host, as in frame "${host}"` : 'its title, as in frame "Title"';
  return `${nowhere}, except in a frame of another site; a step that means it has to name the frame by ${how}`;
}

/** How often the element is elsewhere tells a wrong part from a wrong name. */
async function notInPart(query: Query, words: string, { groups }: Scope, deadline: Deadline): Promise<string> {
  const views = groups.flat();
  const isShown = await shows(words, views, deadline);
  if (isShown === undefined) return nowhere;
  if (!isShown) return 'nothing visible on the page says the words of the part that the step names';
  const anywhere = { ...query, within: undefined };
  const answers = await Promise.all(views.map((view) => ask(view, anywhere, deadline)));
  const count = countOf(
    await visibleOf(
      answers.flatMap((answer) => answer ?? []),
      deadline,
    ),
  );
  if (count === 0) return nowhere;
  return `nothing in the part that the step names is called so; elsewhere on the page ${count === 1 ? 'one element is' : `${count} elements are`}`;
}

/** Undefined where a document did not answer in time and no other has them. */
async function shows(words: string, views: View[], deadline: Deadline): Promise<boolean | undefined> {
  const asked = views.map(({ world, parent }) =>
    world.call('showsPart', [words], parent ? deadline.atMost(frameMs) : deadline),
  );
  const answers = await Promise.allSettled(asked);
  if (answers.some((answer) => answer.status === 'fulfilled' && answer.value)) return true;
  return answers.every(({ status }) => status === 'fulfilled') ? false : undefined;
}

/** What a person keeps secret goes to another site only where the step names its host: a title can be imitated. */
async function refuseSecret(
  spot: Spot,
  { target, purpose }: Search,
  { isByHost }: Scope,
  [main]: View[],
  deadline: Deadline,
): Promise<Spot> {
  const { view, element } = spot;
  if ((purpose !== 'fill' && purpose !== 'select') || isByHost || (main && isOfSite(view, main))) return spot;
  const { frame, within, ...said } = { frame: undefined, within: undefined, ...named(target) };
  if (!(await view.world.call('isForSecret', [element, Object.values(said).join(' ')], deadline))) return spot;
  view.world.release(element);
  const host = view.from?.host;
  const how = host ? `; the step has to name the frame by its host, as in frame "${host}"` : '';
  throw new StepFailure('unsupported', `a field for secrets is in a frame of another site${how}`);
}

const named = (target: Target) => (typeof target === 'string' ? { name: target } : target);

async function byRef(ref: string, views: View[], refs: Refs, deadline: Deadline): Promise<Spot> {
  const place = refs.whereIs(ref);
  const view = place && views.find(({ world }) => world === place.world);
  if (place && view) {
    const element = await view.world.element(place.mark, deadline);
    if (element) return { view, element };
    throw missing(`${ref} is no longer part of the page`);
  }
  if (refs.wasGiven(ref))
    throw missing(`the document that ${ref} was part of is gone, or not in front, or not in the frame`);
  throw missing(`no element was called ${ref}`);
}

function queryOf(target: Exclude<Target, { ref: string }>, purpose: Purpose, mayBePart: boolean): Query {
  const within = typeof target === 'string' ? undefined : target.within;
  const query = { role: undefined, within, purpose, mayBePart };
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
    if (countOf(visible) > 1) throw new StepFailure('ambiguous', told(visible, refs, query.within !== undefined));
    const element = await only.view.world.element(only.hits.marks[0] ?? 0, deadline);
    return element && { view: only.view, element };
  }
  return undefined;
}

async function ask(view: View, query: Query, deadline: Deadline): Promise<Answer | undefined> {
  const bounded = view.parent ? deadline.atMost(frameMs) : deadline;
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
    answers.map(async ({ view, hits }) => {
      const placing = view.parent && (await positionOf(view, deadline));
      return !view.parent || (placing !== undefined && placing.opacity * hits.opacity >= leastOpacity);
    }),
  );
  return answers.filter((_, index) => seen[index]);
}

const countOf = (answers: Answer[]) => answers.reduce((sum, { hits }) => sum + hits.count, 0);

/** Says which, so that the agent can choose. Names stay out: they quote the page. */
function told(answers: Answer[], refs: Refs, isInPart: boolean): string {
  const some = answers.flatMap(({ view, hits }) =>
    hits.marks.map((mark, index) => `${refs.give(view.world, mark)} ${hits.roles[index] ?? ''}`.trim()),
  );
  const where = isInPart ? ' in the part that the step names' : '';
  return `${countOf(answers)} visible elements match${where}: ${some.slice(0, 5).join(', ')}`;
}
