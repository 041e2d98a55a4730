// What a step asks to be read, as a value.

import type { Step } from '@pilothouse/contract';
import { type Deadline, pause } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import { type Finding, findTarget, passOrThrow, type Spot } from './find.ts';
import type { Row } from './injected/extract.ts';
import { framesIn } from './outline.ts';
import { textOf } from './text.ts';
import { ScriptError } from './worlds/world.ts';
import type { View } from './worlds/worlds.ts';

export type ExtractStep = Extract<Step, { action: 'extract' }>;

/** Of the value, written as JSON. */
const maxChars = 250_000;
const maxAttempts = 3;
const againMs = 300;

export async function extract(finding: Finding, step: ExtractStep, deadline: Deadline): Promise<unknown> {
  try {
    const { target } = step;
    const spot =
      target === undefined ? undefined : await findTarget(finding, { target, purpose: 'any', isRead: true }, deadline);
    const value = await read(finding, step, spot, deadline).finally(() => spot?.view.world.release(spot.element));
    if (JSON.stringify(value).length <= maxChars) return value;
  } catch (error) {
    if (!(error instanceof ScriptError && /^RangeError: too much/.test(error.message))) {
      passOrThrow(error, deadline);
      throw error;
    }
  }
  throw new StepFailure('too_large', `what was read is longer than ${maxChars} characters`);
}

async function read(finding: Finding, step: ExtractStep, spot: Spot | undefined, deadline: Deadline): Promise<unknown> {
  const views = () => finding.worlds.all(deadline);
  switch (step.kind) {
    case 'text':
      return spot
        ? spot.view.world.call('read', [spot.element, maxChars, true], deadline)
        : textOf(await views(), { limit: maxChars, isWhole: true }, deadline);
    case 'attributes':
      if (!spot) throw new StepFailure('unsupported', 'attributes are read of a target');
      return spot.view.world.call('attributes', [spot.element, maxChars], deadline);
    case 'table':
      return table(spot, spot ? [spot.view] : await seen(await views(), deadline), deadline);
    case 'records':
      return spot ? records(step, spot, [spot.view], deadline) : recordsOfPage(finding, step, deadline);
  }
}

/** Nothing at all, on a page whose frames are not all read, may be the silence of a frame that is busy: it is asked again. */
async function recordsOfPage({ worlds }: Finding, step: ExtractStep, deadline: Deadline): Promise<Row[]> {
  for (let attempt = 1; ; attempt += 1) {
    const views = await worlds.all(deadline);
    const read = await seen(views, deadline);
    const rows = await records(step, undefined, read, deadline);
    const mayBeMore = rows.length === 0 && read.length < Math.max(views.length, worlds.count());
    if (!mayBeMore || attempt === maxAttempts || deadline.isOver()) return rows;
    await pause(againMs, deadline);
  }
}

/** The documents that can be seen. */
async function seen(views: View[], deadline: Deadline): Promise<View[]> {
  const below = async (view: View): Promise<View[]> => {
    const frames = await framesIn(view, views, deadline);
    return [view, ...(await Promise.all(frames.map((frame) => below(frame.view)))).flat()];
  };
  return views[0] ? below(views[0]) : [];
}

async function table(spot: Spot | undefined, views: View[], deadline: Deadline): Promise<Row[]> {
  const found = await Promise.all(
    views.map(async (view) => {
      const marks = await view.world.call('tables', spot ? [spot.element] : [], deadline);
      return marks.map((mark) => ({ view, mark }));
    }),
  );
  const [only, ...others] = found.flat();
  if (!only) throw new StepFailure('not_found', 'there is no table');
  if (others.length > 0) throw new StepFailure('ambiguous', `there are ${others.length + 1} tables`);
  const element = await only.view.world.element(only.mark, deadline);
  if (!element) throw new StepFailure('not_found', 'the table went away');
  return only.view.world.call('table', [element, maxChars], deadline);
}

async function records(step: ExtractStep, spot: Spot | undefined, views: View[], deadline: Deadline): Promise<Row[]> {
  const { each, fields = {} } = step;
  if (each === undefined) throw new StepFailure('unsupported', 'records need to be told what each of them is');
  const rows = await Promise.all(
    views.map(({ world }) =>
      world.call('records', spot ? [each, fields, maxChars, spot.element] : [each, fields, maxChars], deadline),
    ),
  );
  return rows.flat();
}
