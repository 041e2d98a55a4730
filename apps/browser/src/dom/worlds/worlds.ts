// All documents of a page: its own, those of its frames, and those of frames that run in processes of their own.

import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { type Deadline, within } from '../../common/deadline.ts';
import { StepFailure } from '../../common/failure.ts';
import type { Sessions } from './frame-sessions.ts';
import { fromOf, siteOf } from './site.ts';
import { openWorld, type World } from './world.ts';

/** Pages with more are made of advertisements. */
const maxFrames = 60;
/** A frame that hangs is not waited for longer: the page around it may be well. */
export const frameMs = 1000;

const looks = 3;
const movingMs = 20;

/** A document, and the one around it. */
export type View = {
  world: World;
  parent: View | undefined;
  /** Documents of one site trust each other; undefined where it is of none. */
  site: string | undefined;
  /** Where it comes from: its origin, or that of its address where it is set apart from it. */
  from: URL | undefined;
};

export type Worlds = {
  /** The documents there are now, outer ones first. The page's own must answer; frames that do not are left out. */
  all(deadline: Deadline): Promise<View[]>;
  /** The page's own document when all were looked at last. It may be gone by now. */
  lastMain(): World | undefined;
  /** Of the page with all its frames, whether they answer or not. */
  count(): number;
};

type FrameRef = {
  session: CDPSession;
  frameId: string;
  parentId: string | undefined;
  loaderId: string;
  url: string;
  /** The registered domain of the address, by the browser's own list of public suffixes; empty where it has none. */
  domain: string;
  isMain: boolean;
};
type Tree = {
  frame: { id: string; parentId?: string; loaderId: string; url: string; domainAndRegistry: string };
  childFrames?: Tree[];
};

export function createWorlds({ page, sessions }: { page: Page; sessions: Sessions }): Worlds {
  const worlds = new Map<string, Promise<World>>();
  let lastMain: World | undefined;

  async function all(deadline: Deadline): Promise<View[]> {
    if (page.isClosed()) throw new StepFailure('crashed', 'the page is gone');
    const main = await within(deadline, sessions.main());
    const places = (await everyPlace(main, deadline))
      .slice(0, maxFrames)
      .map((place, index) => ({ ...place, isMain: index === 0 }));
    forgetAllBut(new Set(places.map(keyOf)));
    const opened = await Promise.all(places.map((place) => worldOf(place, deadline)));
    lastMain = opened[0];
    return linked(places, opened);
  }

  async function everyPlace(main: CDPSession, deadline: Deadline): Promise<FrameRef[]> {
    const frames = deadline.atMost(frameMs);
    for (let look = 1; ; look += 1) {
      const local = await placesOf(main, deadline);
      if (page.frames().length <= local.length) return local;
      const found = [...local, ...(await remotePlaces(frames))];
      // A frame that moves to a process of its own is for a moment in neither.
      if (found.length >= page.frames().length || look === looks || frames.isOver()) return found;
      await sleep(movingMs);
    }
  }

  async function remotePlaces(deadline: Deadline): Promise<FrameRef[]> {
    const others = await sessions.others(deadline);
    // One that hangs, or is just going away, has nothing to show.
    const found = await Promise.allSettled(others.map((session) => placesOf(session, deadline)));
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  }

  async function worldOf(place: FrameRef, deadline: Deadline): Promise<World | undefined> {
    const key = keyOf(place);
    const { session, frameId, isMain } = place;
    const bounded = isMain ? deadline : deadline.atMost(frameMs);
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

  return { all, lastMain: () => lastMain, count: () => page.frames().length };
}

/** A frame that loads another document gets another loader. */
const keyOf = ({ frameId, loaderId }: FrameRef) => `${frameId} ${loaderId}`;

async function placesOf(session: CDPSession, deadline: Deadline): Promise<FrameRef[]> {
  const { frameTree } = await within(deadline, session.send('Page.getFrameTree'));
  const places: FrameRef[] = [];
  const add = ({ frame, childFrames = [] }: Tree) => {
    const { id: frameId, parentId, loaderId, url, domainAndRegistry: domain } = frame;
    places.push({ session, frameId, parentId, loaderId, url, domain, isMain: false });
    for (const child of childFrames) add(child);
  };
  add(frameTree);
  return places;
}

function linked(places: FrameRef[], worlds: (World | undefined)[]): View[] {
  const views = new Map<string, View>();
  const domains = new Map(places.map(({ url, domain }) => [URL.parse(url)?.hostname ?? '', domain]));
  for (const [index, { frameId, url }] of places.entries()) {
    const world = worlds[index];
    if (!world) continue;
    const { origin } = world;
    views.set(frameId, { world, parent: undefined, site: siteOf(origin, domains), from: fromOf(origin, url) });
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
