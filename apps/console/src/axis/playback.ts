// Playing what was kept: where the head goes next, and where the steps are.

import type { Axis } from '../tasks/axis-model.ts';

export const speeds = [1, 2, 4] as const;
export type Speed = (typeof speeds)[number];

/** Where nothing changes for longer than this, playback goes on with what comes next. */
const gapMs = 3000;

/** The moments at which something changes: pictures, and other drivers. In their order, each once. */
export function changesOf(axis: Axis, pictures: readonly number[]): number[] {
  const all = [...pictures, ...axis.bands.map(({ from }) => from), axis.to];
  return [...new Set(all.filter((time) => time >= axis.from && time <= axis.to))].sort((one, other) => one - other);
}

/** The moment after `passedMs` of playback from `at` on, not beyond the end. */
export function playFrom(at: number, passedMs: number, speed: Speed, changes: readonly number[], end: number): number {
  const next = changes.find((time) => time > at) ?? end;
  return Math.min(end, next - at > gapMs ? next : at + passedMs * speed);
}

/** The end of the step before or after, where its picture is; other drivers where no step is known. */
export function neighbourOf(axis: Axis, at: number, direction: -1 | 1): number | undefined {
  const times = axis.steps.length > 0 ? axis.steps.map(({ to }) => to) : axis.bands.map(({ to }) => to);
  return direction < 0 ? times.findLast((time) => time < at - 1) : times.find((time) => time > at + 1);
}
