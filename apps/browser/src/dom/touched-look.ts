// What a press or a key of a program would reach, in whatever document of the page it is.

import type { Deadline } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { ActLook } from './injected/act-facts.ts';
import { type Point, positionOf } from './worlds/frame-position.ts';
import type { World } from './worlds/world.ts';
import type { View } from './worlds/worlds.ts';

/** `frame`: the origin of the document. */
export type TouchedLook = { look: ActLook; frame: string };

/** Undefined where nothing is there, or a frame does not answer. */
export async function lookAtPoint(views: View[], point: Point, deadline: Deadline): Promise<TouchedLook | undefined> {
  const [main] = views;
  return main && lookInside(views, main, point, deadline);
}

async function lookInside(
  views: View[],
  view: View,
  point: Point,
  deadline: Deadline,
): Promise<TouchedLook | undefined> {
  // The page's own document needs no question about where it is.
  const at = view.parent ? (await positionOf(view, deadline))?.fromPage(point) : point;
  if (!at) return undefined;
  const { x, y } = at;
  const look = await view.world.call('pointLook', [x, y], deadline);
  if (look !== 'frame') return look ? { look, frame: view.world.origin } : undefined;
  for (const inner of views.filter(({ parent }) => parent === view)) {
    const place = await positionOf(inner, deadline);
    if (!place || !holds(place.view, place.fromPage(point))) continue;
    const found = await lookInside(views, inner, point, deadline);
    if (found) return found;
  }
  return undefined;
}

/** Undefined where nothing has the focus. Throws where a document has it that does not answer. */
export async function lookAtFocus(views: View[], deadline: Deadline): Promise<TouchedLook | undefined> {
  const focused = await focusedAmong(
    views.map(({ world }) => world),
    { isNear: false },
    deadline,
  );
  return focused && { look: focused.look, frame: focused.world.origin };
}

/** The same, with the document that has it. `isNear`: with the text around it. */
export async function focusedAmong(
  worlds: World[],
  { isNear }: { isNear: boolean },
  deadline: Deadline,
): Promise<{ look: ActLook; world: World } | undefined> {
  const looks = await Promise.all(
    worlds.map(async (world) => ({ world, look: await world.call('focusLook', [isNear], deadline) })),
  );
  const [focused] = looks.flatMap(({ look, world }) => (look && typeof look === 'object' ? [{ look, world }] : []));
  const isInside = looks.some(({ look }) => look === 'frame') && !looks.some(({ look }) => look === 'nothing');
  if (!focused && isInside)
    throw new StepFailure('focus_taken', 'the frame that has the focus does not say what is there');
  return focused;
}

const holds = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }, at: Point): boolean =>
  at.x >= x && at.y >= y && at.x < x + width && at.y < y + height;
