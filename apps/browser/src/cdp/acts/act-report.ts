// Gathers what a guest did into reports, in the order in which it was begun. A guest that acts faster than a person can follow is
// told in counts: it must never fill the ledger.

import { maxActsPerReport, type ProgramAct } from '@pilothouse/bus';

/** An act as it is gathered: `at` is by the clock of this report. */
export type TimedAct = Omit<ProgramAct, 'ago_ms'> & { at: number };

export type ActReport = {
  /** What comes of it is told after everything that was added before. It has to settle. */
  add(acts: Promise<TimedAct[]>): void;
  /** Tells what has settled. */
  flush(): void;
  /** Resolves when everything that was added is told. */
  close(): Promise<void>;
};

type Options = {
  send(acts: ProgramAct[]): void;
  now(): number;
  everyMs?: number;
  /** Lines that are told one by one in each second. */
  maxPerSecond?: number;
};

const secondMs = 1000;

export function createActReport({ send, now, everyMs = 250, maxPerSecond = 20 }: Options): ActReport {
  const told: TimedAct[] = [];
  let folded = new Map<ProgramAct['outcome'], TimedAct>();
  let second = { from: now(), lines: 0 };
  let tail: Promise<void> = Promise.resolve();

  function push(act: TimedAct): void {
    turn();
    const last = told.at(-1);
    if (last && isSameRefusal(last, act)) last.count += act.count;
    else if (second.lines < maxPerSecond) {
      second.lines += 1;
      told.push(act);
    } else fold(act);
  }

  function fold(act: TimedAct): void {
    const others = folded.get(act.outcome);
    if (others) {
      if (others.kind !== act.kind) others.kind = 'several';
      others.count += act.count;
    } else {
      const { kind, outcome, count, at, run_ms } = act;
      folded.set(outcome, { kind, outcome, error: null, count, at, run_ms });
    }
  }

  /** What was too much for a second is told at its end, in one line for each outcome. */
  function turn(): void {
    if (now() - second.from < secondMs) return;
    told.push(...folded.values());
    second = { from: now(), lines: folded.size };
    folded = new Map();
  }

  function flush(): void {
    turn();
    for (const acts = told.splice(0); acts.length > 0; )
      send(
        acts
          .splice(0, maxActsPerReport)
          .map(({ at, ...act }) => ({ ...act, ago_ms: Math.max(0, Math.round(now() - at)) })),
      );
  }

  const timer = setInterval(flush, everyMs).unref();
  return {
    add(acts) {
      tail = tail.then(async () => {
        for (const act of await acts) push(act);
      });
    },
    flush,
    async close() {
      clearInterval(timer);
      await tail;
      told.push(...folded.values());
      folded = new Map();
      flush();
    },
  };
}

/** A guest that tries again and again while another drives is told in one line. */
const isSameRefusal = (one: TimedAct, other: TimedAct): boolean =>
  one.outcome === 'refused' && other.outcome === 'refused' && one.kind === other.kind && one.error === other.error;
