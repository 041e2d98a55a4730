// Which document what is typed now is meant for. The browser gives keys and text to whatever has the focus, and any frame
// can take it at any time. Documents of one origin may pass it to each other; to another origin only a hand passes it.

import type { Page } from 'playwright-core';
import { bestEffort } from '../../common/best-effort.ts';
import { type Deadline, within } from '../../common/deadline.ts';
import { StepFailure } from '../../common/failure.ts';
import type { Gestures } from '../injected/gestures.ts';
import type { World } from './world.ts';

/** A frame that does not answer has nothing to type into. */
const frameMs = 1000;

export type DocumentsOf = (page: Page, deadline: Deadline) => Promise<World[]>;

export type DocumentLook = {
  world: World;
  /** Undefined where it is opaque. */
  origin: string | undefined;
  /** It has the focus itself, and none of its frames. */
  isFocused: boolean;
  /** When a hand last pressed on it, by the clock of this machine; 0: never. */
  pressedAt: number;
};

export type TypingPlace = { world: World; isFocused: boolean };

/** The documents of a page as they are now. */
export type Looks = {
  /** The page's own is first. */
  seen: DocumentLook[];
  /** False where frames do not answer: what they were told by a hand is not known. */
  isWhole: boolean;
};

/** Undefined where all documents are of one origin, so that none takes from another. The page's own has to answer. */
export async function lookApart(page: Page, documentsOf: DocumentsOf, deadline: Deadline): Promise<Looks | undefined> {
  if (page.frames().length === 1) return undefined;
  const [own, ...frames] = await documentsOf(page, deadline);
  if (!own) throw new StepFailure('timeout', 'the page does not answer');
  const [main, ...others] = await Promise.all([
    lookAt(own, deadline),
    ...frames.map((world) => bestEffort('look at a frame', lookAt(world, deadline.atMost(frameMs)))),
  ]);
  const seen = [main, ...others.flatMap((one) => one ?? [])];
  const isWhole = seen.length >= page.frames().length;
  const isOne = main.origin !== undefined && seen.every((one) => one === main || isSameOrigin(one, main));
  return isOne && isWhole ? undefined : { seen, isWhole };
}

/**
 * Where a hand pressed last since then, or `meantFrame`, where a step of an agent was last; else the page itself. What
 * documents of the same origin did with the focus since is followed. Undefined where it cannot be known.
 */
export function placeAmong({ seen, isWhole }: Looks, meantFrame?: string, since = 0): TypingPlace | undefined {
  const pressed = seen.filter(({ pressedAt }) => pressedAt >= since && pressedAt > 0);
  const [last] = pressed.sort((one, other) => other.pressedAt - one.pressedAt);
  const named = seen.find(({ world }) => world.frameId === meantFrame);
  const meant = named ?? last ?? (isWhole ? seen[0] : undefined);
  if (!meant) return undefined;
  const focused = seen.find(({ isFocused }) => isFocused);
  const isThere = focused && (focused === meant || isSameOrigin(focused, meant));
  return isThere ? { world: focused.world, isFocused: true } : { world: meant.world, isFocused: false };
}

export const isSameOrigin = (one: DocumentLook | undefined, other: DocumentLook | undefined): boolean =>
  one?.origin !== undefined && one.origin === other?.origin;

async function lookAt(world: World, deadline: Deadline): Promise<DocumentLook> {
  const { origin, isFocused, pressedAt } = await within(deadline, world.run(lookHere, [], deadline));
  return { world, origin: origin === 'null' ? undefined : origin, isFocused, pressedAt };
}

/** When the document was last told of a key. */
export const keyAtOf = (world: World, deadline: Deadline): Promise<number> => world.run(keyAtHere, [], deadline);

/** Gives the focus back to the field that had it last in this document. False where that is not known. */
export const refocus = (world: World, deadline: Deadline): Promise<boolean> => world.run(refocusHere, [], deadline);

// All below runs in the page.

declare const gesturesOfPilothouse: Gestures | undefined;

function lookHere(): Omit<DocumentLook, 'world' | 'origin'> & { origin: string } {
  const active: Element | null = Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement')?.get?.call(
    document,
  );
  const isFrame = ['iframe', 'frame', 'object', 'embed', 'fencedframe'].includes(active?.localName ?? '');
  const gestures = typeof gesturesOfPilothouse === 'undefined' ? undefined : gesturesOfPilothouse;
  return { origin: self.origin, isFocused: document.hasFocus() && !isFrame, pressedAt: gestures?.pressedAt() ?? 0 };
}

function keyAtHere(): number {
  // Where our script does not listen, nothing can be said against it.
  return typeof gesturesOfPilothouse === 'undefined' ? Number.MAX_SAFE_INTEGER : gesturesOfPilothouse.keyAt();
}

function refocusHere(): boolean {
  const last = typeof gesturesOfPilothouse === 'undefined' ? undefined : gesturesOfPilothouse.focused();
  if (!(last instanceof HTMLElement) || !last.isConnected) return false;
  last.focus();
  return true;
}
