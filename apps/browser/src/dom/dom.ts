// Sees a page as a person does: what is on it, where, and what it is called; in all its frames and open shadow roots.

import type { Target } from '@pilothouse/contract';
import type { CDPSession, Page } from 'playwright-core';
import { type Deadline, pause, within } from '../deadline.ts';
import { StepFailure } from '../failure.ts';
import { type ExtractStep, extract } from './extract.ts';
import { findTarget, passOrThrow } from './find.ts';
import { createFound, type Found } from './found.ts';
import { type FieldListener, installMask, type Mask } from './mask.ts';
import { outlineOf, type Portion } from './outline.ts';
import type { Purpose } from './page/find.ts';
import { placingOf } from './placing.ts';
import { textOf } from './read.ts';
import { createRefs, type Refs } from './refs.ts';
import { openSessions } from './sessions.ts';
import { createWorlds, type View } from './worlds.ts';

export type Sighting = { text: string } | { selector: string };

export type Eyes = {
  /** Hides passwords and payment cards from pictures, in this document and all that follow. */
  mask(deadline: Deadline): Promise<void>;
  /** The one visible element that is meant. Looks until the deadline. Throws `not_found` or `ambiguous`. */
  find(target: Target, purpose: Purpose, deadline: Deadline): Promise<Found>;
  /** Whether the page shows it now. */
  sees(sighting: Sighting, deadline: Deadline): Promise<boolean>;
  /** What can be acted on; from the item of that place on, as much as one answer holds. */
  outline(from: number, deadline: Deadline): Promise<Portion>;
  /** What can be read, frames included. Very long pages are cut. */
  text(deadline: Deadline): Promise<string>;
  /** Throws `too_large` rather than a part. */
  extract(step: ExtractStep, deadline: Deadline): Promise<unknown>;
  close(): void;
};

/** `refs` is shared by the pages of a session; `fields` hears what is written where, once they are masked. */
type Options = { page: Page; cdp: () => Promise<CDPSession>; refs?: Refs; fields?: FieldListener };

const MAX_TEXT_CHARS = 100_000;
const POLL_MS = 50;

export function createEyes({ page, cdp, refs = createRefs(), fields }: Options): Eyes {
  const sessions = openSessions({ page, cdp });
  let masked: Promise<Mask> | undefined;
  const worlds = createWorlds({ page, sessions });
  const finding = { worlds, refs };

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
    while (!deadline.isOver()) {
      try {
        return await look(await worlds.all(deadline));
      } catch (error) {
        passOrThrow(error, deadline);
      }
      await pause(POLL_MS, deadline);
    }
    throw new StepFailure('timeout', 'the page does not answer');
  }

  return {
    async mask(deadline) {
      masked ??= installMask(page, fields);
      masked.catch(() => {
        masked = undefined;
      });
      await within(deadline, masked);
    },
    find: async (target, purpose, deadline) => createFound(await findTarget(finding, target, purpose, deadline)),
    sees,
    outline: (from, deadline) => steadily((views) => outlineOf(views, refs, from, deadline), deadline),
    text: (deadline) =>
      steadily((views) => textOf(views, { limit: MAX_TEXT_CHARS, isWhole: false }, deadline), deadline),
    extract: (step, deadline) => extract(finding, step, deadline),
    close() {
      sessions.close();
      masked?.then(({ close }) => close()).catch(() => undefined);
    },
  };
}

async function isSeenIn(view: View, sighting: Sighting, deadline: Deadline): Promise<boolean> {
  try {
    if (!(await view.world.call('sees', [sighting], deadline))) return false;
    return !view.parent || (await placingOf(view, deadline)) !== undefined;
  } catch (error) {
    if (!view.parent) throw error;
    passOrThrow(error, deadline);
    return false;
  }
}
