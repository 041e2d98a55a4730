// Removes batch after batch without getting in the way of those who write: after each, a rest of twice the time that it took.

import { setTimeout as sleep } from 'node:timers/promises';

const rests = 2;
/** A batch may have waited for somebody else: that is no reason to rest for long. */
const maxRestMs = 1000;

/** Until a batch had nothing to do; returns how much they did together. */
export async function drain(batch: () => Promise<number>, signal: AbortSignal): Promise<number> {
  let done = 0;
  while (!signal.aborted) {
    const begun = performance.now();
    const count = await batch();
    if (count === 0) break;
    done += count;
    const restMs = Math.min(maxRestMs, rests * (performance.now() - begun));
    await sleep(restMs, undefined, { signal }).catch(() => {});
  }
  return done;
}
