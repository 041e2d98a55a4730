// Removes batch after batch without getting in the way of those who write: after each, a rest of twice the time that it took.

import { setTimeout as sleep } from 'node:timers/promises';

const rests = 2;
/** The agent rests no longer than this, however slow the database or the place of the blobs was. */
const maxRestMs = 1000;

type Clock = { now(): number; rest(ms: number, signal: AbortSignal): Promise<void> };
const realClock: Clock = {
  now: () => performance.now(),
  rest: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Until a batch had nothing to do; returns how much they did together. */
export async function drain(batch: () => Promise<number>, signal: AbortSignal, clock = realClock): Promise<number> {
  let done = 0;
  while (!signal.aborted) {
    const begun = clock.now();
    const count = await batch();
    if (count === 0) break;
    done += count;
    // It rejects only where the signal ends it, and then the loop ends too.
    await clock.rest(Math.min(maxRestMs, rests * (clock.now() - begun)), signal).catch(() => {});
  }
  return done;
}
