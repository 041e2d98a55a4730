// Keeps a program at work without pause, and sorts what each act and read led to: done, refused in words, or wrong. Ends where
// the page of the program is gone: Chromium crashed it.

import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../testkit/until.ts';
import type { Program } from './programs.ts';

const inWords = /drives this session \(epoch \d+\)/;
/** Playwright takes the title of a page that has just crashed for empty. Whether it has crashed is known by what pages tell. */
const ofGonePage =
  /closed|crashed|detached|Session with given id not found|context was destroyed|Internal error|title is ""/i;
/** A program that asks again at once would only measure how fast it is refused. */
const pauseMs = 3;

/** What was met while programs worked. */
export type Met = {
  counts: { acts: number; reads: number; refused: number };
  wrong: string[];
  /** By what programs saw that their page was gone. */
  goneBy: string[];
  /** From an act to its refusal, of acts that began after the acknowledgement. */
  refusedMs: number[];
  /** From the hand-back to the end of the first act that is done. */
  goesOnMs: number[];
};

export type Driving = {
  /** Whether the page is gone. Then the program works no more. */
  isGone(): boolean;
  /** A person drives from now on. */
  noteTaken(): void;
  /** They are about to hand back. */
  noteReturned(): void;
  /** Whether an act that began after the acknowledgement was refused, or there is no page to act on. */
  untilRefused(timeoutMs: number): Promise<boolean>;
  /** Whether every kind of act and read has been done once more, or there is no page. */
  untilDone(timeoutMs: number): Promise<boolean>;
  stop(): Promise<void>;
};

export function keepDriving(program: Program, expected: { list: number; title: string }, met: Met): Driving {
  let takenAt: number | undefined;
  let returnedAt: number | undefined;
  let hasRefused = false;
  let done = new Set<string>();
  let isGone = false;
  let isStopping = false;

  const kinds: Record<string, () => Promise<unknown>> = {
    click: program.click,
    type: () => program.type('ab'),
    fill: () => program.fill('filled'),
    hold: () => program.hold(4),
    async count() {
      const found = await program.count();
      if (found !== expected.list) throw new Error(`count is ${found}`);
    },
    async title() {
      const found = await program.title();
      if (found !== expected.title) throw new Error(`title is ${JSON.stringify(found)}`);
    },
  };

  function noteFailure(kind: string, begun: number, error: unknown): void {
    const isLate = takenAt !== undefined && begun > takenAt;
    if (inWords.test(String(error))) {
      met.counts.refused += 1;
      if (!isLate) return;
      hasRefused = true;
      met.refusedMs.push(performance.now() - begun);
    } else if (ofGonePage.test(String(error))) {
      if (!isGone) met.goneBy.push(`${kind}: ${String(error).split('\n')[0]}`);
      isGone = true;
    } else if (!isGone) met.wrong.push(`${kind}: ${String(error).split('\n')[0]}`);
  }

  async function repeat(wanted: (kind: string) => boolean): Promise<void> {
    while (!isStopping && !isGone) {
      for (const [kind, act] of Object.entries(kinds).filter(([name]) => wanted(name))) {
        if (isGone) return;
        const begun = performance.now();
        try {
          await act();
          met.counts[kind === 'count' || kind === 'title' ? 'reads' : 'acts'] += 1;
          done.add(kind);
          // What Playwright asks of the title is answered also while the rest is refused.
          if (returnedAt !== undefined && kind !== 'title') met.goesOnMs.push(performance.now() - returnedAt);
          if (kind !== 'title') returnedAt = undefined;
        } catch (error) {
          noteFailure(kind, begun, error);
          await sleep(pauseMs);
        }
      }
      await sleep(0);
    }
  }
  // The title that Playwright asks for is held until it is true: acts must not wait for it.
  const running = Promise.all([repeat((kind) => kind !== 'title'), repeat((kind) => kind === 'title')]);

  const within = (isSo: () => boolean, timeoutMs: number) =>
    until(() => isGone || isSo(), timeoutMs).then(
      () => true,
      () => false,
    );
  return {
    isGone: () => isGone,
    noteTaken() {
      hasRefused = false;
      takenAt = performance.now();
    },
    noteReturned() {
      takenAt = undefined;
      returnedAt = performance.now();
    },
    untilRefused: (timeoutMs) => within(() => hasRefused, timeoutMs),
    untilDone(timeoutMs) {
      done = new Set();
      return within(() => done.size === Object.keys(kinds).length, timeoutMs);
    },
    async stop() {
      isStopping = true;
      await running;
    },
  };
}
