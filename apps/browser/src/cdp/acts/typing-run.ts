// Keys and texts that follow each other in one page, told as one line for each field. What was typed is told only where the page
// said before and after each piece that the field is not one for secrets; where it cannot say, only the length is told.

import { actLimits } from '@pilothouse/bus';
import type { TimedAct } from './act-report.ts';
import { type Answered, jointly } from './answer.ts';
import type { Sight } from './element-sight.ts';

/** `after`: asked just after it; else what was asked next counts. */
export type Piece = {
  text: string;
  at: number;
  before: Sight | undefined;
  after?: { seen: Sight | undefined };
  answered: Answered;
};

/** `after`: what had the focus when the run was over. */
export function typedLines(pieces: readonly Piece[], after: Sight | undefined): TimedAct[] {
  const lines: TimedAct[] = [];
  let from = 0;
  for (let place = 1; place <= pieces.length; place += 1) {
    const [first, next] = [pieces[from], pieces[place]];
    if (!first || (next && isSameField(first.before, next.before))) continue;
    const following = next ? next.before : after;
    const own = pieces[place - 1]?.after;
    lines.push(lineOf(pieces.slice(from, place), own ? own.seen : following));
    from = place;
  }
  return lines;
}

function lineOf(pieces: readonly Piece[], after: Sight | undefined): TimedAct {
  const text = pieces.map((piece) => piece.text).join('');
  const sights = [...pieces.flatMap(({ before, after: own }) => [before, ...(own ? [own.seen] : [])]), after];
  const isSecret = sights.some((sight) => sight?.secret);
  const isKnown = sights.every((sight) => sight !== undefined);
  const [first] = pieces;
  const field = first?.before;
  const at = first?.at ?? 0;
  return {
    kind: 'type',
    ...jointly(
      pieces.map(({ answered }) => answered),
      at,
    ),
    at,
    count: 1,
    ...(field && { element: { role: field.role, name: field.name, box: field.box } }),
    ...(!isSecret && { chars: text.length }),
    ...(isKnown && !isSecret && { text: text.slice(0, actLimits.textChars).toWellFormed() }),
  };
}

const isSameField = (one: Sight | undefined, other: Sight | undefined): boolean =>
  one?.role === other?.role && one?.name === other?.name && one?.secret === other?.secret;
