// The times in which a person drove, as rows of the timeline: which there are, how long they are, and what was done in them.

import { saysSame, useTime } from '../common/use-time.ts';
import type { Overlay } from '../live/api-types.ts';
import type { Band, GrowingAxis } from '../tasks/axis-model.ts';
import type { TimelineItem } from '../tasks/timeline-model.ts';

type HandoverItem = Extract<TimelineItem, { type: 'handover' }>;

/** The same list while it says the same: the last band is longer every second, which its row shows by itself. */
export function usePersonBands(axis: GrowingAxis): readonly Band[] {
  return useTime(
    (now) => axis.at(now).bands.filter((band, index, { length }) => isPerson(band) || index === length - 1),
    (one, other) => saysSame(saidOf(one), saidOf(other)),
  );
}
const saidOf = (bands: readonly Band[]) =>
  bands.map((band, index) => [band.kind, isPerson(band) && band.from, index < bands.length - 1 && band.to]);

/** How long a person drove; who still drives has driven to now. */
export const lengthOf =
  (axis: GrowingAxis, { at, ms, isNow }: HandoverItem) =>
  (now: number) => {
    const begun = Date.parse(at);
    const band = isNow ? axis.at(now).bands.findLast((one) => isPerson(one) && one.from === begun) : undefined;
    return band ? band.to - band.from : ms;
  };
const isPerson = ({ kind }: Band): boolean => kind === 'you' || kind === 'other';

/** What a person did while they drove, from their marks: never what they wrote. */
export function describeDeeds(overlays: readonly Overlay[], { at, ms, isNow }: HandoverItem): string {
  const from = Date.parse(at);
  const to = isNow ? Number.POSITIVE_INFINITY : from + ms + 1000;
  const deeds = overlays.filter(({ source, recorded_at }) => {
    const when = Date.parse(recorded_at);
    return source === 'human' && when >= from && when <= to;
  });
  return deeds
    .map(({ label }) => label)
    .filter((label, index, all) => label && label !== all[index - 1])
    .slice(-6)
    .join(' · ');
}
