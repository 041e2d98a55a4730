// What a press or a key of a program would reach, in whatever document of the page it is.

import type { Deadline } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { ActLook, FocusLook } from './injected/act-facts.ts';
import { type Point, positionOf } from './worlds/frame-position.ts';
import type { World } from './worlds/world.ts';
import type { View, Worlds } from './worlds/worlds.ts';

/** `frame`: the origin of the document. */
export type TouchedLook = { look: ActLook; frame: string };

/** Undefined where nothing is there, or a frame does not answer. */
export async function lookAtPoint(worlds: Worlds, point: Point, deadline: Deadline): Promise<TouchedLook | undefined> {
  const lookInMain = askEarly(worlds, (world) => world.call('pointLook', [point.x, point.y], deadline));
  const views = await worlds.all(deadline);
  const [main] = views;
  if (!main) return undefined;
  const look = await lookInMain(main.world);
  if (look !== 'frame') return look ? { look, frame: main.world.origin } : undefined;
  return lookInFrame({ views, around: main, at: point }, point, deadline);
}

/** `at` is in the pixels of the document around the frames. */
type Frames = { views: View[]; around: View; at: Point };

/** Frames may lie over each other: the document around them says which of them is pressed. */
async function lookInFrame(
  { views, around, at }: Frames,
  point: Point,
  deadline: Deadline,
): Promise<TouchedLook | undefined> {
  for (const inner of views.filter(({ parent }) => parent === around)) {
    const place = await positionOf(inner, deadline);
    const inside = place?.fromPage(point);
    if (!place?.owner || !inside || !holds(place.view, inside)) continue;
    if (!(await around.world.call('isFrameAt', [place.owner, at.x, at.y], deadline))) continue;
    const look = await inner.world.call('pointLook', [inside.x, inside.y], deadline);
    if (look === 'frame') return lookInFrame({ views, around: inner, at: inside }, point, deadline);
    return look ? { look, frame: inner.world.origin } : undefined;
  }
  return undefined;
}

/**
 * Asks the page's own document while it is found out which documents there are: most often it is still the one of the last look. What
 * another document said is not used.
 */
function askEarly<T>(worlds: Worlds, ask: (world: World) => Promise<T>): (world: World) => Promise<T> {
  const last = worlds.lastMain();
  const early = last && ask(last);
  early?.catch(() => {});
  return (world) => (early && world === last ? early : ask(world));
}

/** Undefined where nothing has the focus. Throws where a document has it that does not answer. */
export async function lookAtFocus(worlds: Worlds, deadline: Deadline): Promise<TouchedLook | undefined> {
  const ask = askEarly(worlds, (world) => world.call('focusLook', [false], deadline));
  const focused = await focusedAmong(
    (await worlds.all(deadline)).map(({ world }) => world),
    ask,
  );
  return focused && { look: focused.look, frame: focused.world.origin };
}

/** The same for documents that are known, with the one that has it. */
export async function focusedAmong(
  documents: World[],
  ask: (world: World) => Promise<FocusLook>,
): Promise<{ look: ActLook; world: World } | undefined> {
  const looks = await Promise.all(documents.map(async (world) => ({ world, look: await ask(world) })));
  const [focused] = looks.flatMap(({ look, world }) => (look && typeof look === 'object' ? [{ look, world }] : []));
  const isInside = looks.some(({ look }) => look === 'frame') && !looks.some(({ look }) => look === 'nothing');
  if (!focused && isInside)
    throw new StepFailure('focus_taken', 'the frame that has the focus does not say what is there');
  return focused;
}

const holds = ({ x, y, width, height }: { x: number; y: number; width: number; height: number }, at: Point): boolean =>
  at.x >= x && at.y >= y && at.x < x + width && at.y < y + height;
