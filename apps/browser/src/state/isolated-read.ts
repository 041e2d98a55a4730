// Reads in a document without trusting what its page made of the language: in a world of our own, where the page can
// neither see nor change anything.

import type { CDPSession, Frame, Page } from 'playwright-core';
import { isolatedContextOf } from '../dom/worlds/isolated-world.ts';
import type { Pages } from '../pages/pages.ts';
import { originOf } from './origin.ts';

type FrameRef = { session: CDPSession; frameId: string };
type World = { session: CDPSession; contextId: number };
type Tree = { frame: { id: string; url: string }; childFrames?: Tree[] };
type CdpOf = Pick<Pages, 'cdp' | 'mainFrame'>;

/** Our worlds in the documents that the page shows now, by origin: looking for them would take most of the time. */
const worlds = new WeakMap<Page, Map<string, Promise<World>>>();
const sessions = new WeakMap<Frame, Promise<CDPSession>>();

/** What a self-contained function returns in a document of that origin: the page's own before those of its frames. */
export async function evaluateIsolated<Args extends unknown[]>(
  ways: CdpOf,
  page: Page,
  origin: string,
  fn: (...args: Args) => unknown,
  args: Args,
): Promise<unknown> {
  const expression = `(${fn})(...${JSON.stringify(args)})`;
  const known = worldsOf(page);
  const kept = known.get(origin);
  // The document may have gone a moment before we are told so.
  if (kept) return read(await kept, expression).catch(() => readAgain(ways, page, origin, expression));
  return readAgain(ways, page, origin, expression);
}

async function readAgain(ways: CdpOf, page: Page, origin: string, expression: string): Promise<unknown> {
  const known = worldsOf(page);
  const opening = openWorld(ways, page, origin);
  known.set(origin, opening);
  opening.catch(() => known.get(origin) === opening && known.delete(origin));
  return read(await opening, expression);
}

async function read({ session, contextId }: World, expression: string): Promise<unknown> {
  const how = { contextId, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', { expression, ...how });
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return result.value;
}

function worldsOf(page: Page): Map<string, Promise<World>> {
  const known = worlds.get(page);
  if (known) return known;
  const fresh = new Map<string, Promise<World>>();
  worlds.set(page, fresh);
  const forget = () => fresh.clear();
  page.on('framenavigated', forget).on('framedetached', forget);
  return fresh;
}

async function openWorld(ways: CdpOf, page: Page, origin: string): Promise<World> {
  const { session, frameId } = await find(ways, page, origin);
  return { session, contextId: await isolatedContextOf(session, frameId) };
}

async function find({ cdp, mainFrame }: CdpOf, page: Page, origin: string): Promise<FrameRef> {
  const main = await cdp(page);
  if (originOf(page.url()) === origin) return { session: main, frameId: await mainFrame(page) };
  const frame = page.frames().find((one) => originOf(one.url()) === origin);
  const place = (await placeIn(main, origin)) ?? (frame && (await placeIn(await sessionOf(frame), origin)));
  if (!place) throw new Error('no document of this origin is there any more');
  return place;
}

async function placeIn(session: CDPSession, origin: string): Promise<FrameRef | undefined> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const all = ({ frame, childFrames = [] }: Tree): Tree['frame'][] => [frame, ...childFrames.flatMap(all)];
  const found = all(frameTree).find(({ url }) => originOf(url) === origin);
  return found && { session, frameId: found.id };
}

/** Of the process the frame runs in: its own, or that of one around it. */
function sessionOf(frame: Frame): Promise<CDPSession> {
  return ownSession(frame).catch((error) => {
    const parent = frame.parentFrame();
    if (!parent) throw error;
    return sessionOf(parent);
  });
}

function ownSession(frame: Frame): Promise<CDPSession> {
  const known = sessions.get(frame);
  if (known) return known;
  const opening = frame.page().context().newCDPSession(frame);
  sessions.set(frame, opening);
  const forget = () => sessions.get(frame) === opening && sessions.delete(frame);
  // A frame that goes to another site goes to another process.
  opening.then((session) => session.once('close', forget), forget);
  return opening;
}
