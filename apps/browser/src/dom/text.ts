// The readable text of a page with all its frames, in reading order.

import type { Deadline } from '../common/deadline.ts';
import { framesIn, orNothing } from './outline.ts';
import { frameMs, type View } from './worlds/worlds.ts';

/** How much of it: at most this many characters, or else an error where only the whole will do. */
type Amount = { limit: number; isWhole: boolean };

export async function textOf(views: View[], amount: Amount, deadline: Deadline): Promise<string> {
  const [main] = views;
  const { limit } = amount;
  return main ? (await piecesOf(main, views, amount, deadline)).join('\n').slice(0, limit) : '';
}

async function piecesOf(view: View, views: View[], amount: Amount, deadline: Deadline): Promise<string[]> {
  const frames = await framesIn(view, views, deadline);
  const [pieces, inner] = await Promise.all([
    view.world.call('readPage', [amount.limit, amount.isWhole, ...frames.map(({ owner }) => owner)], deadline),
    Promise.all(
      frames.map((frame) => orNothing(piecesOf(frame.view, views, amount, deadline.atMost(frameMs)), deadline)),
    ),
  ]);
  return pieces.flatMap((piece) => (typeof piece === 'number' ? (inner[piece] ?? []) : [piece])).filter(Boolean);
}
