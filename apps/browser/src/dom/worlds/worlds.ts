// All documents of a page: its own, those of its frames, and those of frames that run in processes of their own.

import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { type Deadline, within } from '../deadline.ts';
import { StepFailure } from '../failure.ts';
import type { Sessions } from './sessions.ts';
import { openWorld, type World } from './world.ts';

/** Pages with more are made of advertisements. */
const MAX_FRAMES = 60;
/** A frame that hangs is not waited for longer: the page around it may be well. */
export const FRAME_MS = 1000;

const LOOKS = 3;
const MOVING_MS = 20;

/** A document, and the one around it. */
export type View = { world: World; parent: View | undefined };

export type Worlds = {
  /** The documents there are now, outer ones first. The page's own must answer; frames that do not are left out. */
  all(deadline: Deadline): Promise<View[]>;
};

type Place = { session: CDPSession; frameId: string; parentId: string | undefined; loaderId: string; isMain: boolean };
type Tree = { frame: { id: string; parentId?: string; loaderId: string }; childFrames?: Tree[] };

export function createWorlds({ page, sessions }: { page: Page; sessions: Sessions }): Worlds {
  const worlds = new Map<string, Promise<World>>();

  async function all(deadline: Deadline): Promise<View[]> {
    if (page.isClosed()) throw new StepFailure('crashed', 'the page is gone');
    const main = await within(deadline, sessions.main());
    const places = (await everyPlace(main, deadline))
      .slice(0, MAX_FRAMES)
      .map((place, index) => ({ ...place, isMain: index === 0 }));
    forgetAllBut(new Set(places.map(keyOf)));
    const opened = await Promise.all(places.map((place) => worldOf(place, deadline)));
    return linked(places, opened);
  }

  async function everyPlace(main: CDPSession, deadline: Deadline): Promise<Place[]> {
    const frames = deadline.atMost(FRAME_MS);
    for (let look = 1; ; look += 1) {
      const local = await placesOf(main, deadline);
      if (page.frames().length <= local.length) return local;
      const found = [...local, ...(await remotePlaces(frames))];
      // A frame that moves to a process of its own is for a moment in neither.
      if (found.length >= page.frames().length || look === LOOKS || frames.isOver()) return found;
      await sleep(MOVING_MS);
    }
  }

  async function remotePlaces(deadline: Deadline): Promise<Place[]> {
    const others = await sessions.others(deadline);
    // One that hangs, or is just going away, has nothing to show.
    const found = await Promise.allSettled(others.map((session) => placesOf(session, deadline)));
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  }

  async function worldOf(place: Place, deadline: Deadline): Promise<World | undefined> {
    const key = keyOf(place);
    const { session, frameId, isMain } = place;
    const bounded = isMain ? deadline : deadline.atMost(FRAME_MS);
    const opening = worlds.get(key) ?? openWorld(session, frameId, bounded);
    worlds.set(key, opening);
    try {
      return await within(bounded, opening);
    } catch (error) {
      worlds.delete(key);
      if (isMain) throw error;
      return undefined;
    }
  }

  function forgetAllBut(keys: Set<string>): void {
    for (const key of worlds.keys()) if (!keys.has(key)) worlds.delete(key);
  }

  return { all };
}

/** A frame that loads another document gets another loader. */
const keyOf = ({ frameId, loaderId }: Place) => `${frameId} ${loaderId}`;

async function placesOf(session: CDPSession, deadline: Deadline): Promise<Place[]> {
  const { frameTree } = await within(deadline, session.send('Page.getFrameTree'));
  const places: Place[] = [];
  const add = ({ frame, childFrames = [] }: Tree) => {
    places.push({ session, frameId: frame.id, parentId: frame.parentId, loaderId: frame.loaderId, isMain: false });
    for (const child of childFrames) add(child);
  };
  add(frameTree);
  return places;
}

function linked(places: Place[], worlds: (World | undefined)[]): View[] {
  const views = new Map<string, View>();
  for (const [index, { frameId }] of places.entries()) {
    const world = worlds[index];
    if (world) views.set(frameId, { world, parent: undefined });
  }
  for (const { frameId, parentId } of places) {
    const view = views.get(frameId);
    if (view && parentId !== undefined) view.parent = views.get(parentId);
  }
  // A frame whose surroundings do not answer cannot be placed.
  return places.flatMap(({ frameId }, index) => {
    const view = views.get(frameId);
    return view && (index === 0 || view.parent) ? [view] : [];
  });
}
