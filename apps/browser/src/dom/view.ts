// The page with all its frames as one text for a model: collects what each document shows, and gives each handle its ref.

import { createHash } from 'node:crypto';
import type { Box, View as PageView, ViewHandle } from '@pilothouse/bus';
import type { Deadline } from '../common/deadline.ts';
import { openClosedRoots } from './closed-roots.ts';
import type { DocumentView, ViewBlock } from './injected/view.ts';
import type { ViewItem } from './injected/view-items.ts';
import type { ViewLine } from './injected/view-lines.ts';
import { type Framed, framesIn, orNothing, rounded } from './outline.ts';
import { numberOf, type Refs } from './refs.ts';
import { type PlacedLine, portionOf, quoted, shapeOf } from './view-text.ts';
import { type FramePosition, positionOf } from './worlds/frame-position.ts';
import type { Handle, World } from './worlds/world.ts';
import { frameMs, type View } from './worlds/worlds.ts';

export type ViewPortion = Pick<PageView, 'text' | 'handles' | 'shape_hash' | 'next'>;
/** `since` is the hash of an earlier look; `isInViewOnly` leaves out what has to be scrolled to. */
export type ViewOptions = { from?: number; since?: string; isInViewOnly?: boolean };

/** How deep closed roots may lie in each other. */
const maxClosedDepth = 3;
const maxLooks = 32;

/** What was there at earlier looks, by their hashes: the number of the last ref. */
export type Looks = Map<string, number>;

type Collected = { view: View; placing: FramePosition; block: number; away: number; clipped: number };
type Collection = { views: View[]; blocks: ViewBlock[]; lines: PlacedLine[]; screen: Box; site: string | undefined };

export async function viewOf(
  views: View[],
  refs: Refs,
  looks: Looks,
  { from = 0, since, isInViewOnly = false }: ViewOptions,
  deadline: Deadline,
): Promise<ViewPortion> {
  const [main] = views;
  const [placing, seen] = main
    ? await Promise.all([positionOf(main, deadline), documentsOf(main, views, deadline)])
    : [undefined, undefined];
  if (!main || !placing) return { text: '', handles: [], shape_hash: '', next: null };
  const collection: Collection = { views, blocks: [], lines: [], screen: placing.view, site: main.site };
  place(seen, { view: main, placing, block: -1, away: 0, clipped: 0 }, collection);
  dropDoubles(collection.lines);
  nameHandles(collection.lines, refs, since === undefined ? undefined : looks.get(since));
  const lines = isInViewOnly
    ? collection.lines.filter((line) => line.away === 0 && line.clipped === 0)
    : collection.lines;
  const shape_hash = createHash('sha256').update(shapeOf(lines, collection.blocks)).digest('base64url').slice(0, 22);
  remember(looks, shape_hash, refs.last());
  const { text: read, shown, next } = portionOf(lines, collection.blocks, from);
  const text = [read, ...(next === null && !isInViewOnly ? farOf(seen.document) : [])].join('\n');
  return { text, handles: shown.flatMap(handlesOf), shape_hash, next };
}

/** What a very long page has beyond the part that is read: it comes with scrolling. */
function farOf({ far: { below, above } }: DocumentView): string[] {
  const counts = [
    below > 0 ? `${below} rows farther below` : [],
    above > 0 ? `${above} rows farther above` : [],
  ].flat();
  return counts.length > 0 ? [`<more: ${counts.join(', ')}>`] : [];
}

function remember(looks: Looks, hash: string, last: number): void {
  looks.delete(hash);
  looks.set(hash, last);
  for (const old of looks.keys()) if (looks.size > maxLooks) looks.delete(old);
}

/** A document, and those in its frames. */
type Seen = { document: DocumentView; frames: { framed: Framed; name: string; inner: Seen }[] };

async function documentsOf(view: View, views: View[], deadline: Deadline): Promise<Seen> {
  const { world } = view;
  const framed = await framesIn(view, views, deadline);
  const owners = framed.map(({ owner }) => owner);
  const [document, inner] = await Promise.all([
    seenIn(world, () => look(world, owners, deadline), deadline),
    Promise.all(
      framed.map((frame) => {
        const bounded = deadline.atMost(frameMs);
        const read = Promise.all([
          documentsOf(frame.view, views, bounded),
          world.call('frameNames', [frame.owner], bounded),
        ]);
        return orNothing(
          read.then(([seen, [name = '']]) => [{ framed: frame, name, inner: seen }]),
          deadline,
        );
      }),
    ),
  ]);
  const frames = inner.map(([one], index) => one ?? { framed: framed[index] as Framed, name: '', inner: empty });
  return { document, frames };
}

// What comes back was made by our own tool of that name.
const look = async (world: World, owners: Handle[], deadline: Deadline): Promise<DocumentView> =>
  JSON.parse(await world.call('view', owners, deadline));

const empty: Seen = { document: { lines: [], blocks: [], closed: [], far: { below: 0, above: 0 } }, frames: [] };

/** Looks again where closed parts were opened. */
async function seenIn(world: World, look: () => Promise<DocumentView>, deadline: Deadline): Promise<DocumentView> {
  let document = await look();
  for (let depth = 0; depth < maxClosedDepth && document.closed.length > 0; depth += 1) {
    if (!(await openClosedRoots(world, document.closed, deadline))) break;
    document = await look();
  }
  return document;
}

/** Puts the lines of a document, and of those in its frames, into the page's. */
function place({ document, frames }: Seen, at: Collected, collection: Collection): void {
  const { blocks, lines } = collection;
  const first = blocks.length;
  const outer = (block: number) => (block < 0 ? at.block : first + block);
  blocks.push(...document.blocks.map((block) => ({ ...block, parent: outer(block.parent) })));
  for (const line of document.lines) {
    const { away, clipped } = distanceOf(line, at, collection.screen);
    const block = outer(line.block);
    const frame = line.frame === undefined ? undefined : frames[line.frame];
    if (!frame) {
      lines.push({ ...line, block, away, clipped, items: itemsOf(line, at, collection) });
      continue;
    }
    const { view, placing } = frame.framed;
    const host = view.from && view.site !== collection.site ? ` ${view.from.host}` : '';
    blocks.push({ parent: block, open: `<frame${quoted(frame.name)}${host}>`, close: '</frame>' });
    place(frame.inner, { view, placing, block: blocks.length - 1, away, clipped }, collection);
  }
}

/** By its own document, by what is around that, and by the window. */
function distanceOf(
  line: ViewLine,
  { view, placing, ...around }: Collected,
  screen: Box,
): Pick<ViewLine, 'away' | 'clipped'> {
  if (!view.parent) return line;
  const { y, height } = placing.boxInPage(line.box);
  const below = y >= screen.height ? (y - screen.height) / screen.height + 0.001 : 0;
  const above = y + height <= 0 ? (y + height) / screen.height - 0.001 : 0;
  const away = [around.away, below || above].reduce((one, other) => (Math.abs(one) > Math.abs(other) ? one : other));
  return { away, clipped: Math.max(around.clipped, line.clipped, Math.abs(line.away)) };
}

function itemsOf(line: ViewLine, { view, placing }: Collected, { site }: Collection): PlacedLine['items'] {
  const items = line.parts.filter((part) => typeof part !== 'string');
  return items.map((item) => ({
    item,
    world: view.world,
    box: rounded(placing.boxInPage(item.box)),
    leads: leadsTo(item, site),
    ref: '',
    isNew: false,
  }));
}

/** Where a link leads, if it leaves the site of the page. */
function leadsTo({ href }: ViewItem, site: string | undefined): string {
  const url = href === null ? null : URL.parse(href);
  if (!url || url.protocol === 'javascript:') return '';
  if (!/^https?:$/.test(url.protocol)) return ` → ${url.protocol.slice(0, -1)}`;
  const own = site === undefined ? '' : (URL.parse(site)?.hostname ?? '');
  return own && url.hostname !== own && !url.hostname.endsWith(`.${own}`) ? ` → ${url.host}` : '';
}

/** Of two links beside each other that lead to the same and are called the same, as a picture and its title, one is told. */
function dropDoubles(lines: PlacedLine[]): void {
  let before: { line: PlacedLine; item: ViewItem } | undefined;
  for (const line of lines) {
    for (const { item } of [...line.items]) {
      const isDouble = before && item.href !== null && item.href === before.item.href && item.name === before.item.name;
      if (before && isDouble) {
        const { line: earlier, item: dropped } = before;
        earlier.parts = earlier.parts.filter((part) => part !== dropped);
        earlier.items = earlier.items.filter((one) => one.item !== dropped);
      }
      before = { line, item };
    }
  }
  const kept = lines.filter(({ parts }) => parts.some((part) => typeof part !== 'string' || part.trim() !== ''));
  lines.splice(0, lines.length, ...kept);
}

/** In the order of the text. What came since the earlier look is new, but not where the whole document came since. */
function nameHandles(lines: PlacedLine[], refs: Refs, last: number | undefined): void {
  const known = new Set<World>();
  for (const handle of lines.flatMap(({ items }) => items)) {
    handle.ref = refs.give(handle.world, handle.item.mark);
    if (last !== undefined && numberOf(handle.ref) <= last) known.add(handle.world);
  }
  for (const handle of lines.flatMap(({ items }) => items))
    handle.isNew = last !== undefined && numberOf(handle.ref) > last && known.has(handle.world);
}

function handlesOf({ items, away, clipped }: PlacedLine): ViewHandle[] {
  return items.map(({ item, world, box, ref }) => {
    const { role, name, tag, type, form, submits, secret, download, href } = item;
    const link = href === null ? null : URL.parse(href);
    return {
      ...{ ref, role, name, tag, type, frame_origin: world.origin },
      href_origin: link && /^https?:$/.test(link.protocol) ? link.origin : null,
      ...{ form, submits, secret, download, box, is_in_view: away === 0 && clipped === 0 },
    };
  });
}
