// From a press to the picture on the canvas that shows its effect.
import { setTimeout as sleep } from 'node:timers/promises';
import { figuresOf, round } from '../../testkit/percentiles.ts';
import { now } from '../browser/live.ts';
import { hundredths } from '../browser/watched.ts';
import type { Press, Side } from './sides.ts';

/** Of ours each has to come, however slow the machine; the bare side loses some, which costs this long each. */
const seenWithinMs = { ours: 20_000, bare: 1500 };
/** Presses come one by one; a burst is another question. */
const restMs = 150;

/** Both sides in turn, each press alone. */
export async function measurePresses(ours: Side, bare: Side, kind: Press, count: number) {
  const took = { ours: [] as number[], bare: [] as number[] };
  // Not counted: the first of each fills caches.
  for (let index = -2; index < count; index += 1) {
    for (const side of index % 2 === 0 ? [ours, bare] : [bare, ours]) {
      const ms = await timePress(side, kind);
      if (ms === undefined && side === ours) throw new Error(`ours: not shown within ${seenWithinMs.ours} ms`);
      if (ms !== undefined && index >= 0) took[side.name].push(ms);
      await sleep(restMs + Math.random() * 50);
    }
  }
  const both = { ours: withP95(took.ours), bare: withP95(took.bare) };
  return {
    ...both,
    ratio_p50: hundredths(both.ours.p50 / both.bare.p50),
    ratio_p95: hundredths(both.ours.p95 / both.bare.p95),
    never_shown_by_bare: count - both.bare.count,
  };
}

async function timePress(side: Side, kind: Press): Promise<number | undefined> {
  side.presses += 1;
  await side.screen.expect(side.presses);
  const pressedAt = now();
  const pressed = side.press(kind);
  const seenAt = await side.screen.seen(seenWithinMs[side.name]);
  await pressed;
  return seenAt && seenAt - pressedAt;
}

function withP95(times: number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  return { ...figuresOf(times), p95: round(sorted[Math.floor(0.95 * sorted.length)] ?? Number.NaN) };
}
