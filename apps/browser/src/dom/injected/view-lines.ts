// Puts words and handles of a document into lines, and says how far each is from being seen. One long function, because its
// text is sent.

import type { Rect } from './element/visibility.ts';
import type { ViewItem } from './view-items.ts';

export type ViewLines = ReturnType<typeof createViewLines>;

export type ViewLine = {
  /** `#` of a heading or `!` of an alert. */
  lead: string;
  parts: (string | ViewItem)[];
  /** The frame of that place in the list that was given, in place of parts. */
  frame?: number;
  block: number;
  box: Rect;
  /** How far outside the window, in screens; below zero where it is above. 0: in view. */
  away: number;
  /** How far outside the box that scrolls around it, in screens of the window. */
  clipped: number;
};

/** The lines so far, and the one that is being written. */
export type Sheet = { lines: ViewLine[]; line: ViewLine | undefined; edge: '' | 'block' | 'cell' };
/** Where something to be written stands. */
export type Place = { lead: string; block: number; box: Rect | undefined; isInRow: boolean };

export function createViewLines() {
  const maxLineChars = 1500;
  const maxBesideChars = 200;

  function flush(sheet: Sheet): void {
    const { line } = sheet;
    sheet.line = undefined;
    sheet.edge = '';
    if (line && (line.frame !== undefined || tidy(line))) sheet.lines.push(line);
  }

  /** False where nothing is left of it. */
  function tidy(line: ViewLine): boolean {
    const joined: ViewLine['parts'] = [];
    for (const part of line.parts) {
      const last = joined.at(-1);
      if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
      else if (typeof part !== 'string' && typeof last === 'object') joined.push(' ', part);
      else joined.push(part);
    }
    line.parts = joined.map((part) => (typeof part === 'string' ? part.replace(/[ \t\u00a0]+/g, ' ') : part));
    const trim = (index: number, by: (text: string) => string) => {
      const part = line.parts.at(index);
      if (typeof part === 'string') line.parts.splice(index, 1, by(part));
    };
    trim(0, (text) => text.replace(/^[\s|·]+/, ''));
    trim(-1, (text) => text.replace(/[\s|·]+$/, ''));
    line.parts = line.parts.filter((part) => part !== '');
    return line.parts.length > 0;
  }

  const lengthOf = (line: ViewLine) =>
    line.parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : part.label.length + 10), 0);

  /** Side by side, and the second to the right of the first. */
  function isBeside(line: ViewLine, { x, y, height }: Rect): boolean {
    const { box } = line;
    const shared = Math.min(box.y + box.height, y + height) - Math.max(box.y, y);
    return shared * 2 > Math.min(box.height, height) && x >= box.x + box.width - 2 && lengthOf(line) < maxBesideChars;
  }

  function add(sheet: Sheet, place: Place, part: string | ViewItem, at: Rect): void {
    const { line, edge } = sheet;
    sheet.edge = '';
    if (line && edge !== '' && (place.isInRow || isBeside(line, at))) {
      const isWord = typeof part === 'string' && typeof line.parts.at(-1) === 'string';
      line.parts.push(edge === 'cell' ? ' | ' : isWord && !place.isInRow ? ' · ' : ' ');
    } else if (line && (edge !== '' || lengthOf(line) > maxLineChars)) flush(sheet);
    if (!sheet.line) {
      sheet.line = { lead: place.lead, parts: [part], block: place.block, box: at, ...distance(at, place) };
      return;
    }
    const now = sheet.line;
    const { away, clipped } = distance(at, place);
    now.parts.push(part);
    now.box = around(now.box, at);
    // A line is where the nearest of it is.
    if (Math.abs(away) < Math.abs(now.away)) now.away = away;
    now.clipped = Math.min(now.clipped, clipped);
  }

  function around(one: Rect, other: Rect): Rect {
    const x = Math.min(one.x, other.x);
    const y = Math.min(one.y, other.y);
    const right = Math.max(one.x + one.width, other.x + other.width);
    return { x, y, width: right - x, height: Math.max(one.y + one.height, other.y + other.height) - y };
  }

  function distance(at: Rect, { box }: Place): { away: number; clipped: number } {
    const page = { x: 0, y: 0, width: innerWidth, height: innerHeight };
    return { away: outside(at, page), clipped: box ? Math.abs(outside(at, box)) : 0 };
  }

  /** In screens; below zero above or to the left of it. */
  function outside(at: Rect, { x, y, width, height }: Rect): number {
    const [across, down] = [Math.max(1, innerWidth), Math.max(1, innerHeight)];
    if (at.y >= y + height - 1) return (at.y - y - height + 1) / down + 0.001;
    if (at.y + at.height <= y + 1) return (at.y + at.height - y - 1) / down - 0.001;
    if (at.x >= x + width - 1) return (at.x - x - width + 1) / across + 0.001;
    if (at.x + at.width <= x + 1) return (at.x + at.width - x - 1) / across - 0.001;
    return 0;
  }

  return { flush, add, distance };
}
