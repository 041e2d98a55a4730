// Acts of a guest that follow each other and are told as one: what it types, the same key again and again, turns of the wheel. One
// run is open at a time, so that the order of acts stays.

import type { ActReport, TimedAct } from './act-report.ts';
import type { Answered } from './answer.ts';
import type { Sight } from './element-sight.ts';
import { clamped } from './sighting.ts';
import { typedLines } from './typing-run.ts';

/** A command that Chromium was given, and what it will answer. */
export type Waiting = { at: number; answered: Promise<Answered> };
/** Asks what has the focus of a page now. */
type Focused = (sessionId: string) => Promise<Sight | undefined>;

type Piece = Waiting & { text: string; before: Promise<Sight | undefined>; after?: Promise<Sight | undefined> };
type Typing = { type: 'text'; pieces: Piece[] };
type Repeated = { type: 'repeated'; act: TimedAct; all: Waiting[] };
type Run = { sessionId: string; timer: NodeJS.Timeout } & (Typing | Repeated);

export type Runs = {
  type(sessionId: string, typed: { text: string; isWhole?: boolean }, wait: Waiting): void;
  /** An act that is told with those of its kind: the same key, or the wheel. */
  repeat(sessionId: string, act: TimedAct, wait: Waiting): void;
  /** Something else is done, or nothing more. */
  end(): void;
};

type Options = {
  focused: Focused;
  addType: ActReport['add'];
  addRepeated(act: TimedAct, all: readonly Waiting[]): void;
};

/** What follows within this time goes on with the run. */
const pauseMs = 1000;
const maxPieces = 500;

export function createRuns({ focused, addType, addRepeated }: Options): Runs {
  let run: Run | undefined;

  function end(): void {
    const ended = run;
    run = undefined;
    if (!ended) return;
    clearTimeout(ended.timer);
    if (ended.type === 'text') addType(linesOf(ended, focused(ended.sessionId)));
    else addRepeated(ended.act, ended.all);
  }

  /** Whether the open run goes on in this page. */
  function goesOn(sessionId: string, isSame: (open: Run) => boolean): boolean {
    const isGoingOn = run !== undefined && run.sessionId === sessionId && isSame(run);
    if (isGoingOn) run?.timer.refresh();
    else end();
    return isGoingOn;
  }
  const pause = () => setTimeout(end, pauseMs).unref();

  return {
    type(sessionId, { text, isWhole }, wait) {
      const isOpen = goesOn(sessionId, (open) => open.type === 'text' && open.pieces.length < maxPieces);
      const before = focused(sessionId);
      // Before the client hears of the answer: what it does next may take the focus elsewhere, as to the password after a name.
      const after = isWhole ? wait.answered.then(() => focused(sessionId)) : undefined;
      const piece = { ...wait, text, before, after };
      if (isOpen && run?.type === 'text') run.pieces.push(piece);
      else run = { type: 'text', sessionId, timer: pause(), pieces: [piece] };
    },
    repeat(sessionId, act, wait) {
      const isAlike = (open: Run) =>
        open.type === 'repeated' && isSameKind(open.act, act) && open.all.length < maxPieces;
      if (goesOn(sessionId, isAlike) && run?.type === 'repeated') {
        run.all.push(wait);
        join(run.act, act);
      } else run = { type: 'repeated', sessionId, timer: pause(), act, all: [wait] };
    },
    end,
  };
}

const isSameKind = (one: TimedAct, other: TimedAct): boolean => one.kind === other.kind && one.key === other.key;

function join(sum: TimedAct, { delta, count }: TimedAct): void {
  sum.count += count;
  if (sum.delta && delta) sum.delta = { x: clamped(sum.delta.x + delta.x), y: clamped(sum.delta.y + delta.y) };
}

async function linesOf({ pieces }: Typing, after: Promise<Sight | undefined>): Promise<TimedAct[]> {
  const known = pieces.map(async ({ text, at, before, after: then, answered }) => ({
    ...{ text, at, before: await before, answered: await answered },
    ...(then && { after: { seen: await then } }),
  }));
  return typedLines(await Promise.all(known), await after);
}
