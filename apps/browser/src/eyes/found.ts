// An element that was found, until it is touched.

import { type Box, WaitError } from '@pilothouse/bus';
import type { CDPSession } from 'playwright-core';
import { type Deadline, pause, within } from '../deadline.ts';
import { StepFailure } from '../failure.ts';
import { passOrThrow, type Spot } from './find.ts';
import type { Measured } from './page/touch.ts';
import { type Placing, type Point, placingOf } from './placing.ts';
import { callFunction } from './world.ts';
import type { View } from './worlds.ts';

export type Found = {
  /**
   * Brings it into view, waits until it stands still and is enabled, and makes sure that a click at the point reaches
   * it; only a touch needs the last. In CSS pixels of the page's viewport.
   */
  ready(options: { isTouch: boolean }, deadline: Deadline): Promise<{ bbox: Box; point: Point }>;
  /** Whether a click at the point would still reach it. */
  isAt(point: Point, deadline: Deadline): Promise<boolean>;
  /** Runs a function that stands alone in our world, with the element as first argument. */
  call<Args extends unknown[], T>(
    fn: (element: Element, ...args: Args) => T | Promise<T>,
    args: Args,
    deadline: Deadline,
  ): Promise<T>;
  cdp: CDPSession;
  objectId: string;
  release(): void;
};

/** Between two looks at whether it moves: longer than a frame. */
const STILL_MS = 20;
const RETRY_MS = 50;
/** Something that sticks to an edge may cover it: then it is brought to another. */
const blocks = ['center', 'end', 'start'] as const;

type Standing = { bbox: Box; points: Point[]; placing: Placing; isDisabled: boolean };
type Trouble = { failure: 'covered' | 'timeout'; message: string };

export function createFound({ view, element }: Spot): Found {
  const { world } = view;
  const { session } = world;

  async function ready({ isTouch }: { isTouch: boolean }, deadline: Deadline) {
    let trouble: Trouble = { failure: 'timeout', message: 'the page does not answer' };
    let tries = 0;
    if (view.parent) await reveal(deadline);
    while (!deadline.isOver()) {
      const outcome = await (view.parent ? attempt : attemptAtOnce)(isTouch, deadline).catch(async (error) => {
        passOrThrow(error, deadline);
        // Only a document that is gone, or time that is over, is no answer.
        if (error instanceof WaitError) return trouble;
        throw new StepFailure('not_found', 'the element went away', { cause: error });
      });
      if ('bbox' in outcome) return outcome;
      trouble = outcome;
      await pause(RETRY_MS, deadline);
      if (trouble.failure === 'covered' && !deadline.isOver()) {
        const block = blocks[tries % blocks.length] ?? 'center';
        tries += 1;
        await world.call('scroll', [element, block], deadline).catch((error) => passOrThrow(error, deadline));
      }
    }
    throw new StepFailure(trouble.failure, trouble.message);
  }

  /** The browser also scrolls whatever is around, in frames of other processes too. What has no box is left alone. */
  async function reveal(deadline: Deadline): Promise<void> {
    const { objectId } = element;
    await within(deadline, session.send('DOM.scrollIntoViewIfNeeded', { objectId })).catch((error) =>
      passOrThrow(error, deadline),
    );
  }

  /** In the page's own document nothing around it has to be asked, and one call does. */
  async function attemptAtOnce(isTouch: boolean, deadline: Deadline): Promise<{ bbox: Box; point: Point } | Trouble> {
    let poised = await world.call('poise', [element, isTouch], deadline);
    if (poised.measured.state === 'there' && !poised.measured.points[0]) {
      await reveal(deadline);
      poised = await world.call('poise', [element, isTouch], deadline);
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
    if (!first) return { failure: 'covered', message: 'the element cannot be brought into view' };
    const point = points[reached];
    return point ? { bbox, point } : { failure: 'covered', message: 'something else on the page covers the element' };
  }

  async function attempt(isTouch: boolean, deadline: Deadline): Promise<{ bbox: Box; point: Point } | Trouble> {
    const before = await stand(isTouch, deadline);
    if (!('bbox' in before)) return before;
    // What is not touched may move.
    if (isTouch) await pause(STILL_MS, deadline);
    const now = isTouch ? await stand(isTouch, deadline) : before;
    if (!('bbox' in now)) return now;
    if (!isSame(before.bbox, now.bbox)) return moving;
    if (now.isDisabled) return disabled;
    const [first] = now.points;
    if (!isTouch) return { bbox: now.bbox, point: first ? now.placing.toPage(first) : middle(now.bbox) };
    if (!first) {
      await reveal(deadline);
      return { failure: 'covered', message: 'the element cannot be brought into view' };
    }
    const reached = await firstReached(now, deadline);
    if (!reached) return { failure: 'covered', message: 'something else on the page covers the element' };
    return { bbox: now.bbox, point: reached };
  }

  /** Where it is now. */
  async function stand(isTouch: boolean, deadline: Deadline): Promise<Standing | Trouble> {
    const placing = await placingOf(view, deadline);
    if (!placing) return { failure: 'timeout', message: 'the frame of the element is hidden' };
    const measured: Measured = await world.call('measure', [element, placing.view], deadline);
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
  async function firstReached({ points, placing }: Standing, deadline: Deadline): Promise<Point | undefined> {
    const index = await world.call('reachable', [element, points], deadline);
    const point = points[index];
    if (!point) return undefined;
    const inPage = placing.toPage(point);
    return (await isThrough(view, placing, inPage, deadline)) ? inPage : undefined;
  }

  async function isAt(point: Point, deadline: Deadline): Promise<boolean> {
    const placing = view.parent ? await placingOf(view, deadline) : undefined;
    if (view.parent && !placing) return false;
    const inFrame = placing ? placing.fromPage(point) : point;
    return (await world.call('reachable', [element, [inFrame]], deadline)) === 0;
  }

  return {
    ready,
    isAt,
    async call(fn, args, deadline) {
      const declaration = `function (...args) { return (${fn})(this, ...args) }`;
      const { value } = await callFunction(session, element, declaration, args, { returnByValue: true, deadline });
      return value;
    },
    cdp: session,
    objectId: element.objectId,
    release: () => world.release(element),
  };
}

async function isThrough(view: View, placing: Placing, point: Point, deadline: Deadline): Promise<boolean> {
  const { parent } = view;
  if (!parent || !placing.owner) return true;
  const outside = await placingOf(parent, deadline);
  if (!outside) return false;
  const hit = await parent.world.call('reachable', [placing.owner, [outside.fromPage(point)]], deadline);
  return hit === 0 && isThrough(parent, outside, point, deadline);
}

const nowhere = { x: 0, y: 0, width: 0, height: 0 };
const hidden: Trouble = { failure: 'timeout', message: 'the element is hidden' };
const moving: Trouble = { failure: 'timeout', message: 'the element does not stop moving' };
const disabled: Trouble = { failure: 'timeout', message: 'the element is disabled' };

const middle = ({ x, y, width, height }: Box): Point => ({ x: x + width / 2, y: y + height / 2 });

const isSame = (one: Box, other: Box): boolean =>
  Math.abs(one.x - other.x) < 0.5 &&
  Math.abs(one.y - other.y) < 0.5 &&
  Math.abs(one.width - other.width) < 0.5 &&
  Math.abs(one.height - other.height) < 0.5;
