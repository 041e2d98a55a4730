// How the view of a page is written: lines in groups, blocks around them, and the part that one answer holds.

import { type Box, estimateTokens, maxViewTokens } from '@pilothouse/bus';
import type { ViewBlock } from './injected/view.ts';
import type { ViewItem } from './injected/view-items.ts';
import type { ViewLine } from './injected/view-lines.ts';
import type { World } from './worlds/world.ts';

type NamedItem = { item: ViewItem; world: World; box: Box; leads: string; ref: string; isNew: boolean };
export type PlacedLine = ViewLine & { items: NamedItem[] };

/** In view, then what is below, then what is above. */
type Group = 'view' | 'below' | 'above';
const groups: Group[] = ['view', 'below', 'above'];
/** Kept for the lines around the portion. */
const reserve = 100;

export const quoted = (name: string): string => (name ? ` ${JSON.stringify(plain(name))}` : '');

/** A joiner after an emoji, or in a script that writes with joiners, is a part of the word; elsewhere it could carry a message. */
const idleJoiner =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}]|(?![\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Hani}])[\p{L}\p{M}])[\u200c\u200d]/gu;

/** Most texts have nothing of the kind. */
const hasMore = /[[<\u00ad\u200b-\u206f\ue000-\uf8ff\ufeff\u{e0000}-\u{e007f}]|\p{Variation_Selector}/u;

/** Characters that nobody sees, and what would read as a handle or a mark of ours, are not taken from a page. */
function plain(text: string): string {
  if (!hasMore.test(text)) return text;
  return text
    .replace(idleJoiner, '')
    .replace(/(?<!\p{Emoji})[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu, '')
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad\ue000-\uf8ff]|[\u{e0000}-\u{e007f}]/gu, '')
    .replace(/\[(?=\*?e\d)/g, '(')
    .replace(/<(?=\/?(frame|dialog|scrolls|below|above|behind|more|closed)\b)/g, '‹');
}

const groupOf = ({ away, clipped }: PlacedLine): Group =>
  away < 0 ? 'above' : away > 0 || clipped > 1 ? 'below' : 'view';

/** Without refs and marks, so that the same page reads the same. */
export const shapeOf = (lines: PlacedLine[], blocks: ViewBlock[]): string =>
  [...blocks.map(({ open }) => open), ...lines.map((line) => `${groupOf(line)} ${written(line, () => '')}`)].join('\n');

function written({ lead, parts, items }: PlacedLine, nameOf: (named: NamedItem) => string): string {
  let place = 0;
  const words = parts.map((part) => {
    if (typeof part === 'string') return plain(part);
    const named = items[place];
    place += 1;
    return named ? handle(named, nameOf(named)) : '';
  });
  return lead + words.join('');
}

function handle({ item, leads }: NamedItem, ref: string): string {
  const { kind, label, tail, download } = item;
  const said = label ? quoted(label) : '';
  const words = `${kind ? ` ${kind}` : ''}${said}${plain(tail)}${leads}${download ? ' download' : ''}`;
  return ref === '' ? `[${words}]` : ref.startsWith('*') ? `*[${ref.slice(1)}${words}]` : `[${ref}${words}]`;
}

type Portion = { text: string; shown: PlacedLine[]; next: number | null };

export function portionOf(all: PlacedLine[], blocks: ViewBlock[], from: number): Portion {
  const lines = groups.flatMap((group) => all.filter((line) => groupOf(line) === group));
  const page = createWriter(blocks);
  const above = lines.filter((line) => groupOf(line) === 'above');
  if (from === 0 && above.length > 0) page.say(`<above ${screensOf(above)}: ${countsOf(above)}>`);
  const shown: PlacedLine[] = [];
  let group: Group = from === 0 ? 'view' : groupOf(lines[from] ?? lines[0] ?? nothing);
  for (const line of lines.slice(from)) {
    if (groupOf(line) !== group) {
      group = groupOf(line);
      page.leave();
      const rest = lines.filter((one) => groupOf(one) === group);
      page.say(group === 'above' ? '<above>' : `<below ${screensOf(rest)}: ${countsOf(rest)}>`);
    }
    const text = written(line, ({ ref, isNew }) => (isNew ? `*${ref}` : ref));
    if (shown.length > 0 && page.tokens() + estimateTokens(text) > maxViewTokens - reserve) break;
    page.write(line, text);
    shown.push(line);
  }
  page.leave();
  const next = from + shown.length;
  const rest = lines.slice(next);
  if (rest.length > 0) page.say(`<more: ${countsOf(rest)}>`);
  return { text: page.text(), shown, next: rest.length > 0 ? next : null };
}

const nothing: Pick<PlacedLine, 'away' | 'clipped'> & PlacedLine = {
  ...{ lead: '', parts: [], block: -1, away: 0, clipped: 0, items: [] },
  box: { x: 0, y: 0, width: 0, height: 0 },
};

const screensOf = (lines: PlacedLine[]): string => {
  const most = Math.max(...lines.map(({ away, clipped }) => Math.max(Math.abs(away), clipped)));
  return `${most.toFixed(1)} screens`;
};

/** `4 links, 2 headings`: the kinds of which there is most. */
function countsOf(lines: PlacedLine[]): string {
  const counts = new Map<string, number>();
  const count = (kind: string) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const { lead, items } of lines) {
    if (lead.startsWith('#')) count('heading');
    for (const { item } of items) count(item.kind || 'link');
  }
  const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, 3);
  const told = most.map(([kind, number]) => `${number} ${kind}${number === 1 ? '' : kind.endsWith('x') ? 'es' : 's'}`);
  return told.join(', ') || `${lines.length} line${lines.length === 1 ? '' : 's'}`;
}

/** Opens and closes the blocks around lines as they come. */
function createWriter(blocks: ViewBlock[]) {
  const rows: string[] = [];
  let open: number[] = [];
  let tokens = 0;
  /** Boxes of which it was said that more is in them than is seen. */
  const opened = new Set<number>();

  function say(text: string): void {
    if (text === '') return;
    rows.push(text);
    tokens += estimateTokens(text) + 1;
  }

  function chainOf(block: number): number[] {
    const chain: number[] = [];
    for (let at = block; at >= 0; at = blocks[at]?.parent ?? -1) chain.unshift(at);
    return chain;
  }

  function moveTo(chain: number[]): void {
    let shared = 0;
    while (shared < open.length && open[shared] === chain[shared]) shared += 1;
    for (const block of open.slice(shared).reverse()) say(blocks[block]?.close ?? '');
    for (const block of chain.slice(shared)) say(blocks[block]?.open ?? '');
    open = chain;
  }

  return {
    say,
    write(line: PlacedLine, text: string): void {
      moveTo(chainOf(line.block));
      if (line.clipped > 0 && !opened.has(line.block)) {
        opened.add(line.block);
        say('<more in box>');
      }
      say(text);
    },
    leave: () => moveTo([]),
    tokens: () => tokens,
    text: () => rows.join('\n'),
  };
}
