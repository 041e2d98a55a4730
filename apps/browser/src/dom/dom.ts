// What a person sees on a page: which elements there are, where, and what they are called; in all its frames and open
// shadow roots.

import type { Target } from '@pilothouse/contract';
import type { CDPSession, Page } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, pause, within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import { createFoundElement, type FoundElement } from './element.ts';
import { type ExtractStep, extract } from './extract.ts';
import { findTarget, passOrThrow } from './find.ts';
import type { Purpose } from './injected/find.ts';
import type { Fingerprints } from './injected/shown-secrets.ts';
import { type FieldListener, installMask, type Mask } from './mask.ts';
import { findOpenField, type OpenField } from './open-field.ts';
import { outlineOf, type Portion } from './outline.ts';
import { createRefs, type Refs } from './refs.ts';
import { textOf } from './text.ts';
import { lookAtFocus, lookAtPoint, type TouchedLook } from './touched-look.ts';
import { type Looks, type ViewOptions, type ViewPortion, viewOf } from './view.ts';
import { type Point, positionOf } from './worlds/frame-position.ts';
import { openSessions } from './worlds/frame-sessions.ts';
import type { World } from './worlds/world.ts';
import { createWorlds, type View } from './worlds/worlds.ts';

export type { Fingerprints } from './injected/shown-secrets.ts';
export type Sighting = { text: string } | { selector: string };

export type Dom = {
  /** Hides passwords and payment cards from pictures, in this document and all later ones. */
  mask(deadline: Deadline): Promise<void>;
  /** Hides from pictures what shows these values, in this document and all later ones. */
  hideSecrets(prints: Fingerprints, deadline: Deadline): Promise<void>;
  /** The documents of the page, its own first. */
  documents(deadline: Deadline): Promise<World[]>;
  /** What a press at this point of the page goes to, in whatever document it is. Undefined where that cannot be said. */
  lookAtPoint(point: Point, deadline: Deadline): Promise<TouchedLook | undefined>;
  /** What a key goes to. Undefined where nothing has the focus. Rejects where that cannot be said. */
  lookAtFocus(deadline: Deadline): Promise<TouchedLook | undefined>;
  /** The one visible element that is meant. Looks until the deadline. Throws `not_found` or `ambiguous`. */
  find(target: Target, purpose: Purpose, deadline: Deadline): Promise<FoundElement>;
  /** Whether the page shows it now. */
  sees(sighting: Sighting, deadline: Deadline): Promise<boolean>;
  /** What can be acted on; from the item of that place on, as much as one answer holds. */
  outline(from: number, deadline: Deadline): Promise<Portion>;
  /** Words and handles in one text, for a model; as much of it as one answer holds. */
  view(options: ViewOptions, deadline: Deadline): Promise<ViewPortion>;
  /** What can be read, frames included. Very long pages are cut. */
  text(deadline: Deadline): Promise<string>;
  /** The list or picker that is open in the page. */
  openField(deadline: Deadline): Promise<OpenField | undefined>;
  /** Throws `too_large` rather than a part. */
  extract(step: ExtractStep, deadline: Deadline): Promise<unknown>;
  close(): void;
};

/** `refs` is shared by the pages of a session; `fields` hears what is written where, once they are masked. */
type Options = {
  page: Page;
  cdp: () => Promise<CDPSession>;
  refs?: Refs;
  fields?: FieldListener;
  prints?: () => Fingerprints | undefined;
};

const maxTextChars = 100_000;
const pollMs = 50;

export function createDom({ page, cdp, refs = createRefs(), fields, prints }: Options): Dom {
  const sessions = openSessions({ page, cdp });
  let masked: Promise<Mask> | undefined;
  const worlds = createWorlds({ page, sessions });
  const finding = { worlds, refs };
  const looks: Looks = new Map();

  function mask(deadline: Deadline): Promise<Mask> {
    masked ??= installMask(page, fields, prints?.());
    masked.catch(() => {
      masked = undefined;
    });
    return within(deadline, masked);
  }

  async function sees(sighting: Sighting, deadline: Deadline): Promise<boolean> {
    try {
      const views = await worlds.all(deadline);
      const seen = await Promise.all(views.map((view) => isSeenIn(view, sighting, deadline)));
      return seen.includes(true);
    } catch (error) {
      passOrThrow(error, deadline);
      return false;
    }
  }

  /** A page in the middle of a navigation is looked at again. */
  async function steadily<T>(look: (views: View[]) => Promise<T>, deadline: Deadline): Promise<T> {
    deadline.note('reading the page');
    while (!deadline.isOver()) {
      try {
        return await look(await worlds.all(deadline));
      } catch (error) {
        passOrThrow(error, deadline);
      }
      await pause(pollMs, deadline);
    }
    throw new StepFailure('timeout', 'the page does not answer');
  }

  return {
    mask: async (deadline) => void (await mask(deadline)),
    hideSecrets: async (prints, deadline) => within(deadline, (await mask(deadline)).hide(prints)),
    documents: async (deadline) => (await worlds.all(deadline)).map(({ world }) => world),
    lookAtPoint: (point, deadline) => lookAtPoint(worlds, point, deadline),
    lookAtFocus: (deadline) => lookAtFocus(worlds, deadline),
    find: async (target, purpose, deadline) =>
      createFoundElement(await findTarget(finding, { target, purpose }, deadline), refs),
    sees,
    outline: (from, deadline) => steadily((views) => outlineOf(views, refs, from, deadline), deadline),
    view: (options, deadline) => steadily((views) => viewOf(views, refs, looks, options, deadline), deadline),
    text: (deadline) => steadily((views) => textOf(views, { limit: maxTextChars, isWhole: false }, deadline), deadline),
    openField: async (deadline) => findOpenField(await worlds.all(deadline), deadline),
    extract: (step, deadline) => extract(finding, step, deadline),
    close() {
      sessions.close();
      if (masked) void bestEffort('close the mask', masked).then((mask) => mask?.close());
    },
  };
}

async function isSeenIn(view: View, sighting: Sighting, deadline: Deadline): Promise<boolean> {
  try {
    if (!(await view.world.call('sees', [sighting], deadline))) return false;
    return !view.parent || (await positionOf(view, deadline)) !== undefined;
  } catch (error) {
    if (!view.parent) throw error;
    passOrThrow(error, deadline);
    return false;
  }
}
