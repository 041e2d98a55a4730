// The time axis in words: what a band is, and what is written under it.

import { type Axis, type Band, stepAt } from '../tasks/axis-model.ts';

const words: Record<Band['kind'], string> = {
  agent: 'The agent drove',
  you: 'You drove',
  other: 'Another person drove',
  waiting: 'Waited for a person',
  failed: 'A try that failed',
  idle: 'Nobody drove',
};

export function describeBand(axis: Axis, { kind, step, to }: Band): string {
  if (kind !== 'agent' || step === undefined) return words[kind];
  const known = axis.steps.find(({ index }) => index === step) ?? stepAt(axis, to);
  return known?.index === step ? `${step} · ${known.title}` : `Step ${step}`;
}

export type Tick = {
  key: string;
  text: string;
  middle: number;
  widestMs: number;
  /** The time of the step, or of the person. */
  from: number;
  to: number;
  /** Where a click on it goes. */
  end: number;
};

/** So much of the axis a number needs for itself. */
const leastShare = 0.022;

/** Numbers of steps and names of drivers, under the bands that are wide enough. */
export function ticksOf({ bands, from, to }: Axis): Tick[] {
  const ticks: Tick[] = [];
  for (const band of bands) {
    const text = textOf(band);
    const last = ticks.at(-1);
    if (!text) continue;
    if (last?.text === text) {
      // One step, with a wait or a failed try in it: its number is under the widest part of it.
      if (band.to - band.from > last.widestMs) Object.assign(last, placeOf(band));
      last.to = band.to;
      last.end = endOf(band);
      continue;
    }
    const place = placeOf(band);
    if (last && (place.middle - last.middle) / (to - from) < leastShare) continue;
    ticks.push({ key: `${text} ${band.from}`, text, ...place, from: band.from, to: band.to, end: endOf(band) });
  }
  return ticks;
}

const placeOf = ({ from, to }: Band) => ({ middle: (from + to) / 2, widestMs: to - from });

function textOf({ kind, step }: Band): string {
  if (kind === 'you') return 'you';
  if (kind === 'other') return 'other';
  return (kind === 'agent' || kind === 'failed') && step !== undefined ? String(step) : '';
}

/** The picture of a step is at its end; of the time of a person there is none. */
const endOf = ({ kind, from, to }: Band): number => (kind === 'you' || kind === 'other' ? (from + to) / 2 : to);
