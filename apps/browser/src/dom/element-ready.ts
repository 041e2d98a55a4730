// Waits until an element that was found can be acted on: it is in view, stands still, is enabled, and a click at the point
// reaches it.

import { type Box, WaitError } from '@pilothouse/bus';
import { type Deadline, pause, within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import { passOrThrow, type Spot } from './find.ts';
import type { ElementMeasure } from './injected/hit-target.ts';
import { type FramePosition, type Point, positionOf } from './worlds/frame-position.ts';
import type { View } from './worlds/worlds.ts';

/** Between two looks at whether it moves: longer than a frame. */
const stillMs = 20;
const retryMs = 50;
/** Something that sticks to an edge may cover it: then it is scrolled to another. */
const blocks = ['center', 'end', 'start'] as const;

/** In CSS pixels of the page's viewport. */
export type ReadyElement = { bbox: Box; point: Point };
type Measurement = { bbox: Box; points: Point[]; placing: FramePosition; isDisabled: boolean };
/** Why it cannot be acted on yet. */
type Obstacle = { failure: 'covered' | 'timeout'; message: string };

export async function waitUntilReady(spot: Spot, isTouch: boolean, deadline: Deadline): Promise<ReadyElement> {
  const { view, element } = spot;
  let obstacle: Obstacle = { failure: 'timeout', message: 'the page does not answer' };
  let scrolls = 0;
  if (view.parent) await reveal(spot, deadline);
  while (!deadline.isOver()) {
    const outcome = await (view.parent ? attempt : attemptAtOnce)(spot, isTouch, deadline).catch(async (error) => {
      passOrThrow(error, deadline);
      // Only a document that is gone, or time that is over, is no answer.
      if (error instanceof WaitError) return obstacle;
      throw new StepFailure('not_found', 'the element went away', { cause: error });
    });
    if ('bbox' in outcome) return outcome;
    obstacle = outcome;
    deadline.note(`waiting for the element to be ready: ${obstacle.message}`);
    await pause(retryMs, deadline);
    if (obstacle.failure === 'covered' && !deadline.isOver()) {
      const block = blocks[scrolls % blocks.length] ?? 'center';
      scrolls += 1;
      await view.world.call('scroll', [element, block], deadline).catch((error) => passOrThrow(error, deadline));
    }
  }
  throw new StepFailure(obstacle.failure, obstacle.message);
}

/** The browser also scrolls what is around it, in frames of other processes too. An element without a box is left alone. */
async function reveal({ view, element }: Spot, deadline: Deadline): Promise<void> {
  const { objectId } = element;
  await within(deadline, view.world.session.send('DOM.scrollIntoViewIfNeeded', { objectId })).catch((error) =>
    passOrThrow(error, deadline),
  );
}

/** In the page's own document no document around it has to be asked, and one call does. */
async function attemptAtOnce(spot: Spot, isTouch: boolean, deadline: Deadline): Promise<ReadyElement | Obstacle> {
  const { view, element } = spot;
  let poised = await view.world.call('poise', [element, isTouch], deadline);
  if (poised.measured.state === 'there' && !poised.measured.points[0]) {
    await reveal(spot, deadline);
    poised = await view.world.call('poise', [element, isTouch], deadline);
  }
  const { measured, isMoving, reached } = poised;
  if (measured.state === 'gone') throw new StepFailure('not_found', 'the element went away');
  if (measured.state === 'there' && isMoving) return moving;
  if (measured.isDisabled) return disabled;
  if (measured.state === 'hidden')
    return isTouch || !measured.isFile ? hidden : { bbox: nowhere, point: middle(nowhere) };
  const { box: bbox, points } = measured;
  const [first] = points;
  if (!isTouch) return { bbox, point: first ?? middle(bbox) };
  if (!first) return outOfView;
  const point = points[reached];
  return point ? { bbox, point } : covered;
}

async function attempt(spot: Spot, isTouch: boolean, deadline: Deadline): Promise<ReadyElement | Obstacle> {
  const before = await measure(spot, isTouch, deadline);
  if (!('bbox' in before)) return before;
  // What is not touched may move.
  if (isTouch) await pause(stillMs, deadline);
  const now = isTouch ? await measure(spot, isTouch, deadline) : before;
  if (!('bbox' in now)) return now;
  if (!isSame(before.bbox, now.bbox)) return moving;
  if (now.isDisabled) return disabled;
  const [first] = now.points;
  if (!isTouch) return { bbox: now.bbox, point: first ? now.placing.toPage(first) : middle(now.bbox) };
  if (!first) {
    await reveal(spot, deadline);
    return outOfView;
  }
  const reached = await firstReached(spot, now, deadline);
  if (!reached) return covered;
  return { bbox: now.bbox, point: reached };
}

/** Where it is now. */
async function measure({ view, element }: Spot, isTouch: boolean, deadline: Deadline): Promise<Measurement | Obstacle> {
  const placing = await positionOf(view, deadline);
  if (!placing) return { failure: 'timeout', message: 'the frame of the element is hidden' };
  const measured: ElementMeasure = await view.world.call('measure', [element, placing.view], deadline);
  if (measured.state === 'gone') throw new StepFailure('not_found', 'the element went away');
  if (measured.state === 'there') {
    const { box, points, isDisabled } = measured;
    return { bbox: placing.boxInPage(box), points, placing, isDisabled };
  }
  // A field for files need not be seen to be filled.
  if (isTouch || !measured.isFile) return hidden;
  return { bbox: nowhere, points: [], placing, isDisabled: measured.isDisabled };
}

/** Each document around must also let the point through to the frame. */
async function firstReached(
  { view, element }: Spot,
  { points, placing }: Measurement,
  deadline: Deadline,
): Promise<Point | undefined> {
  const index = await view.world.call('reachable', [element, points], deadline);
  const point = points[index];
  if (!point) return undefined;
  const inPage = placing.toPage(point);
  return (await isThrough(view, placing, inPage, deadline)) ? inPage : undefined;
}

/** Whether a click at the point would reach the element. */
export async function isReachedAt({ view, element }: Spot, point: Point, deadline: Deadline): Promise<boolean> {
  const placing = view.parent ? await positionOf(view, deadline) : undefined;
  if (view.parent && !placing) return false;
  const inFrame = placing ? placing.fromPage(point) : point;
  if ((await view.world.call('reachable', [element, [inFrame]], deadline)) !== 0) return false;
  // Something of a document around the frame may cover it since.
  return !placing || isThrough(view, placing, point, deadline);
}

async function isThrough(view: View, placing: FramePosition, point: Point, deadline: Deadline): Promise<boolean> {
  const { parent } = view;
  if (!parent || !placing.owner) return true;
  const outside = await positionOf(parent, deadline);
  if (!outside) return false;
  const hit = await parent.world.call('reachable', [placing.owner, [outside.fromPage(point)]], deadline);
  return hit === 0 && isThrough(parent, outside, point, deadline);
}

const nowhere = { x: 0, y: 0, width: 0, height: 0 };
const hidden: Obstacle = { failure: 'timeout', message: 'the element is hidden' };
const moving: Obstacle = { failure: 'timeout', message: 'the element does not stop moving' };
const disabled: Obstacle = { failure: 'timeout', message: 'the element is disabled' };
const covered: Obstacle = { failure: 'covered', message: 'something else on the page covers the element' };
const outOfView: Obstacle = { failure: 'covered', message: 'the element cannot be brought into view' };

const middle = ({ x, y, width, height }: Box): Point => ({ x: x + width / 2, y: y + height / 2 });

const isSame = (one: Box, other: Box): boolean =>
  Math.abs(one.x - other.x) < 0.5 &&
  Math.abs(one.y - other.y) < 0.5 &&
  Math.abs(one.width - other.width) < 0.5 &&
  Math.abs(one.height - other.height) < 0.5;
