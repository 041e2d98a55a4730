// Looks at the page that a model is asked about. Never acts on it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { View } from '@pilothouse/bus';
import type { Browsers } from '../browsers/browsers.ts';
import type { BrowserHandle } from '../browsers/handle.ts';
import { isLost } from '../browsers/outcome.ts';
import { type Next, TaskNotHeld, type TaskTurn } from '../ledger/turn.ts';
import type { Picture } from '../model/types.ts';
import type { HistoryRows } from './history.ts';
import { isNewPath } from './pictures.ts';

export type Seen = { view: View; picture?: Picture };
type Options = {
  browsers: Browsers;
  acquire(turn: TaskTurn): Promise<BrowserHandle>;
  markLost(handle: BrowserHandle): void;
  giveUp(turn: TaskTurn, reason: string): Promise<Next>;
  /** Where the last step of this run led, if it had one. */
  lastUrl(): string | undefined;
};
type Looking = { decisions: HistoryRows['decisions']; withPicture: boolean };

const seeMs = 15_000;
const lookAgainMs = 300;

/** Looks in a row that brought nothing: the page may be too busy to be read at all. */
const maxFailures = 8;

export function createLook({ browsers, acquire, markLost, giveUp, lastUrl }: Options) {
  let failures = 0;

  /** The page in front, or what comes next where it cannot be seen. */
  return async function look(turn: TaskTurn, { decisions, withPicture }: Looking): Promise<Seen | { next: Next }> {
    const handle = await acquire(turn);
    const { session, signal } = turn;
    const since = decisions.at(-1)?.view_hash ?? undefined;
    const expected = lastUrl();
    // The first look at a path has a picture. Where the path is known beforehand, one look is enough.
    const bringsPicture = withPicture || (expected !== undefined && isNewPath(decisions, expected));
    const asked = { timeoutMs: seeMs, signal, since, withPicture: bringsPicture };
    const result = await browsers.see(session.id, handle, asked);
    if (result.type === 'done') {
      failures = 0;
      const { view, picture, image } = result.reply;
      if (!bringsPicture && isNewPath(decisions, view.url)) return look(turn, { decisions, withPicture: true });
      return { view, ...(picture && { picture: { mediaType: picture.content_type, bytes: image } }) };
    }
    if (signal.aborted) throw new TaskNotHeld();
    const isGone = result.type === 'refused' && isLost(result.failure);
    if (isGone || !(await browsers.holds(session.id, handle))) markLost(handle);
    // A host that is away says nothing of the page: another one opens it.
    const isAway = isGone || (result.type === 'unanswered' && result.reason === 'no_responders');
    if (!isAway) failures += 1;
    if (failures >= maxFailures)
      return { next: await giveUp(turn, `The page could not be read ${failures} times in a row.`) };
    await sleep(lookAgainMs, undefined, { signal });
    return { next: 'again' };
  };
}
