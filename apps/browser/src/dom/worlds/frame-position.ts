// Where a frame is in the page: everything outside speaks in pixels of the page's own viewport.

import type { Box } from '@pilothouse/bus';
import { type Deadline, within } from '../../common/deadline.ts';
import type { Handle, World } from './world.ts';
import type { View } from './worlds.ts';

export type Point = { x: number; y: number };

export type FramePosition = {
  /** From pixels of the frame to pixels of the page, and back. */
  toPage(point: Point): Point;
  fromPage(point: Point): Point;
  boxInPage(box: Box): Box;
  /** The part of the frame that can be seen from outside, in its own pixels. Empty where there is none. */
  view: Box;
  /** The element that holds the frame; none holds the page's own document. */
  owner: Handle | undefined;
  /** Of the frame with all frames around it. */
  opacity: number;
};

/** Of a thing in frames, all of them multiplied: below this, nothing can be seen. */
export const leastOpacity = 0.05;

/** Undefined: the frame cannot be seen, because something around it is hidden. */
export async function positionOf(view: View, deadline: Deadline): Promise<FramePosition | undefined> {
  const { world, parent } = view;
  const { width, height } = await world.call('viewport', [], deadline);
  const room = { x: 0, y: 0, width, height };
  if (!parent) return { toPage: same, fromPage: same, boxInPage: same, view: room, owner: undefined, opacity: 1 };
  const [owner, outside] = await Promise.all([ownerOf(view, parent, deadline), positionOf(parent, deadline)]);
  if (!outside || !owner) return undefined;
  const opacity = outside.opacity * (await parent.world.call('frameOpacity', [owner.element], deadline));
  if (opacity < leastOpacity) return undefined;
  // The browser measures from the corner of the outermost document of the same process.
  const root = parent.world.session === world.session ? await rootPlacing(parent, outside, deadline) : outside;
  if (!root) return undefined;
  const [a, b, , d] = owner.corners.map(root.toPage);
  if (!a || !b || !d) return undefined;
  const { toPage, fromPage } = mapped(a, b, d, room);
  return {
    toPage,
    fromPage,
    boxInPage: (box) => around(box, toPage),
    view: overlap(room, around(outside.boxInPage(outside.view), fromPage)),
    owner: owner.element,
    opacity,
  };
}

const same = <T>(value: T): T => value;

async function rootPlacing(
  parent: View,
  placing: FramePosition,
  deadline: Deadline,
): Promise<FramePosition | undefined> {
  let root = parent;
  while (root.parent && root.parent.world.session === root.world.session) root = root.parent;
  return root === parent ? placing : positionOf(root, deadline);
}

/** The frame fills the parallelogram that has these three corners: left and right above, and left below. */
function mapped(a: Point, b: Point, d: Point, { width, height }: Box): Pick<FramePosition, 'toPage' | 'fromPage'> {
  const right = { x: (b.x - a.x) / (width || 1), y: (b.y - a.y) / (width || 1) };
  const down = { x: (d.x - a.x) / (height || 1), y: (d.y - a.y) / (height || 1) };
  const determinant = right.x * down.y - right.y * down.x || 1;
  return {
    toPage: ({ x, y }) => ({ x: a.x + right.x * x + down.x * y, y: a.y + right.y * x + down.y * y }),
    fromPage: (point) => {
      const x = point.x - a.x;
      const y = point.y - a.y;
      return { x: (x * down.y - y * down.x) / determinant, y: (y * right.x - x * right.y) / determinant };
    },
  };
}

function around({ x, y, width, height }: Box, map: (point: Point) => Point): Box {
  const corners = [
    map({ x, y }),
    map({ x: x + width, y }),
    map({ x, y: y + height }),
    map({ x: x + width, y: y + height }),
  ];
  const xs = corners.map((corner) => corner.x);
  const ys = corners.map((corner) => corner.y);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  return { x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

export function overlap(one: Box, other: Box): Box {
  const x = Math.max(one.x, other.x);
  const y = Math.max(one.y, other.y);
  const width = Math.max(0, Math.min(one.x + one.width, other.x + other.width) - x);
  const height = Math.max(0, Math.min(one.y + one.height, other.y + other.height) - y);
  return { x, y, width, height };
}

type Owner = { element: Handle; corners: Point[] };
type Holder = { backendNodeId: number; element: Handle };

/** A frame that is moved to another element loads its document again. */
const holders = new WeakMap<World, Holder>();

async function holderOf(world: World, parent: World, deadline: Deadline): Promise<Holder | undefined> {
  const known = holders.get(world);
  if (known) return known;
  const { frameId } = world;
  const { backendNodeId } = await within(deadline, parent.session.send('DOM.getFrameOwner', { frameId }));
  const element = await parent.adopt(backendNodeId, deadline);
  if (!element) return undefined;
  holders.set(world, { backendNodeId, element });
  return { backendNodeId, element };
}

/** The element that holds the frame, and the corners of the room it gives it: left and right above, right and left below. */
async function ownerOf({ world }: View, parent: View, deadline: Deadline): Promise<Owner | undefined> {
  const { session } = parent.world;
  try {
    const holder = await holderOf(world, parent.world, deadline);
    if (!holder) return undefined;
    const { backendNodeId, element } = holder;
    const { model } = await within(deadline, session.send('DOM.getBoxModel', { backendNodeId }));
    const [ax = 0, ay = 0, bx = 0, by = 0, cx = 0, cy = 0, dx = 0, dy = 0] = model.content;
    const corners = [
      { x: ax, y: ay },
      { x: bx, y: by },
      { x: cx, y: cy },
      { x: dx, y: dy },
    ];
    return { element, corners };
  } catch (error) {
    if (deadline.isOver()) throw error;
    // It has no box, or went away.
    return undefined;
  }
}
