// An element that was found, until it is touched.

import type { CDPSession } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import type { Deadline } from '../common/deadline.ts';
import { type Choices, choicesOf } from './choices.ts';
import { isReachedAt, type ReadyElement, waitUntilReady } from './element-ready.ts';
import { passOrThrow, type Spot } from './find.ts';
import type { ActLook } from './injected/act-facts.ts';
import type { HeldState } from './injected/held-act.ts';
import { reachScript } from './injected/script.ts';
import type { Identity } from './injected/view-items.ts';
import type { Refs } from './refs.ts';
import type { Point } from './worlds/frame-position.ts';
import { callFunction, type Handle, type World } from './worlds/world.ts';

/** What became of the touch: `undefined` where the document is gone. */
export type HeldLook = {
  look: ActLook | null;
  state(deadline: Deadline): Promise<HeldState | undefined>;
  letGo(): void;
};

export type FoundElement = {
  /**
   * Brings it into view, waits until it stands still and is enabled, and makes sure that a click at the point reaches
   * it; only a touch needs the last. In CSS pixels of the page's viewport.
   */
  ready(options: { isTouch: boolean }, deadline: Deadline): Promise<ReadyElement>;
  /** Whether a click at the point would still reach it. */
  isAt(point: Point, deadline: Deadline): Promise<boolean>;
  /** Runs a self-contained function in our world, with the element as first argument. */
  call<Args extends unknown[], T>(
    fn: (element: Element, ...args: Args) => T | Promise<T>,
    args: Args,
    deadline: Deadline,
  ): Promise<T>;
  /** What it is to a person now, as a view tells it. */
  identity(deadline: Deadline): Promise<Identity>;
  /** What policy has to know of it; with `isNear` also the words around it. */
  actLook(isNear: boolean, deadline: Deadline): Promise<ActLook>;
  /** The same, and holds the touch that follows to it. */
  holdAct(deadline: Deadline): Promise<HeldLook>;
  /** What it offers to choose from. */
  choices(deadline: Deadline): Promise<Choices>;
  /** The frame whose document it is part of, and the origin of that document. */
  frameId: string;
  origin: string;
  cdp: CDPSession;
  objectId: string;
  release(): void;
};

export function createFoundElement(spot: Spot, refs: Refs): FoundElement {
  const { element } = spot;
  const { world } = spot.view;
  const { session } = world;

  return {
    ready: ({ isTouch }, deadline) => waitUntilReady(spot, isTouch, deadline),
    isAt: (point, deadline) => isReachedAt(spot, point, deadline),
    async call(fn, args, deadline) {
      const declaration = `function (...args) { ${reachScript}; return (${fn})(this, ...args) }`;
      const { value } = await callFunction(session, element, declaration, args, { returnByValue: true, deadline });
      return value;
    },
    identity: (deadline) => world.call('identity', [element], deadline),
    actLook: (isNear, deadline) => world.call('actLook', [element, isNear], deadline),
    holdAct: (deadline) => holdIn(world, element, deadline),
    choices: (deadline) => choicesOf(spot, refs, deadline),
    frameId: world.frameId,
    origin: world.origin,
    cdp: session,
    objectId: element.objectId,
    release: () => world.release(element),
  };
}

/** Without an element: what has the focus in this document. */
export async function holdIn(world: World, element: Handle | null, deadline: Deadline): Promise<HeldLook> {
  const look = await world.call('holdAct', [element], deadline);
  return {
    look,
    state: (until) =>
      world.call('heldState', [], until).catch((error) => {
        passOrThrow(error, until);
        return undefined;
      }),
    letGo: () => void bestEffort('let go of an act', world.call('letGo', [], deadline)),
  };
}
