// The outline of a page with all its frames, in portions.

import { type Box, lineOf, maxOutlineChars, type OutlineItem } from '@pilothouse/bus';
import type { Deadline } from '../common/deadline.ts';
import type { Item } from './injected/outline.ts';
import type { Refs } from './refs.ts';
import { type FramePosition, overlap, positionOf } from './worlds/frame-position.ts';
import type { Handle } from './worlds/world.ts';
import { frameMs, type View } from './worlds/worlds.ts';

export type Portion = { items: OutlineItem[]; next: number | null };
/** A frame that can be seen, and the element that holds it. */
export type Framed = { view: View; placing: FramePosition; owner: Handle };

export async function outlineOf(views: View[], refs: Refs, from: number, deadline: Deadline): Promise<Portion> {
  const [main] = views;
  const placing = main && (await positionOf(main, deadline));
  if (!placing) return { items: [], next: null };
  const all = await itemsOf(main, placing, views, refs, deadline);
  const ordered = [...all.filter((item) => item.is_in_view), ...all.filter((item) => !item.is_in_view)];
  const isRoomForAll = charsOf(ordered) <= maxOutlineChars;
  // Headings help to find one's way, but cannot be acted on.
  return portionOf(isRoomForAll ? ordered : ordered.filter(({ role }) => role !== 'heading'), from);
}

function portionOf(all: OutlineItem[], from: number): Portion {
  const items: OutlineItem[] = [];
  let left = maxOutlineChars;
  for (const item of all.slice(from)) {
    left -= lineOf(item).length + 1;
    if (left < 0) return { items, next: from + items.length };
    items.push(item);
  }
  return { items, next: null };
}

const charsOf = (items: OutlineItem[]) => items.reduce((sum, item) => sum + lineOf(item).length + 1, 0);

async function itemsOf(
  view: View,
  placing: FramePosition,
  views: View[],
  refs: Refs,
  deadline: Deadline,
): Promise<OutlineItem[]> {
  const { world } = view;
  const frames = await framesIn(view, views, deadline);
  const [found, inner] = await Promise.all([
    world.call(
      'outline',
      frames.map(({ owner }) => owner),
      deadline,
    ),
    Promise.all(
      frames.map((frame) =>
        orNothing(itemsOf(frame.view, frame.placing, views, refs, deadline.atMost(frameMs)), deadline),
      ),
    ),
  ]);
  return found.flatMap((item) =>
    typeof item === 'number' ? (inner[item] ?? []) : [itemIn(item, placing, refs.give(world, item.mark))],
  );
}

function itemIn({ role, name, value, states, box }: Item, placing: FramePosition, ref: string): OutlineItem {
  const { width, height } = overlap(box, placing.view);
  const item = { ref, role, name, states, box: rounded(placing.boxInPage(box)), is_in_view: width > 0 && height > 0 };
  return value === undefined ? item : { ...item, value };
}

export const rounded = ({ x, y, width, height }: Box): Box => ({
  x: Math.round(x),
  y: Math.round(y),
  width: Math.round(width),
  height: Math.round(height),
});

/** The frames of a document that can be seen. */
export async function framesIn(view: View, views: View[], deadline: Deadline): Promise<Framed[]> {
  const children = views.filter(({ parent }) => parent === view);
  const placed = await Promise.all(
    children.map(async (child) => {
      const placing = await orNothing(
        positionOf(child, deadline.atMost(frameMs)).then((one) => (one ? [one] : [])),
        deadline,
      );
      return placing.flatMap((one) => (one.owner ? [{ view: child, placing: one, owner: one.owner }] : []));
    }),
  );
  return placed.flat();
}

/** A frame that hangs or goes away hides nothing of the rest. */
export async function orNothing<T>(work: Promise<T[]>, deadline: Deadline): Promise<T[]> {
  try {
    return await work;
  } catch (error) {
    if (deadline.signal.aborted) throw error;
    return [];
  }
}
