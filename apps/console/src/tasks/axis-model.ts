// The time axis: who drove from when to when, and which step was done in it.

import type { RecordingBand } from '../live/api-types.ts';
import { type Attempt, byStep } from './attempts.ts';

export type BandKind = 'agent' | 'you' | 'other' | 'waiting' | 'failed' | 'idle';
export type Band = {
  kind: BandKind;
  from: number;
  to: number;
  /** The number of the step in it. */
  step?: number;
};
/** A step that has ended: from the end of the step before it to its own. */
export type AxisStep = { index: number; stepId: string; title: string; from: number; to: number };
export type Axis = {
  from: number;
  to: number;
  bands: Band[];
  steps: AxisStep[];
  agentMs: number;
  personMs: number;
};

type Options = {
  /** Of the session, oldest first and without gaps. */
  bands: readonly RecordingBand[];
  taskId: string | undefined;
  me: string | undefined;
  attempts?: readonly Attempt[];
  /** The step that is being done. */
  current?: number;
  isPending?: boolean;
  now: number;
};

/** The axis at any moment. It grows while the last band is not over. */
export type GrowingAxis = {
  /** The same object while nothing of it differs. */
  at(now: number): Axis;
  /** The same object until it has grown by so much that it looks different. */
  drawnAt(now: number): Axis;
};

/** So much of its length the axis grows until it is drawn again: three points of a wide one. */
const drawnShare = 1 / 400;

export function createGrowingAxis(options: Omit<Options, 'now'>): GrowingAxis {
  let last: { now: number; axis: Axis } | undefined;
  let drawn: Axis | undefined;
  const at = (now: number): Axis => {
    if (last?.now === now) return last.axis;
    const axis = buildAxis({ ...options, now });
    last = { now, axis: last && endsAlike(last.axis, axis) ? last.axis : axis };
    return last.axis;
  };
  return {
    at,
    drawnAt(now) {
      const axis = at(now);
      if (!drawn || Math.abs(axis.to - drawn.to) >= (axis.to - axis.from) * drawnShare) drawn = axis;
      return drawn;
    },
  };
}

/** Only what is not over differs from moment to moment. */
const endsAlike = (one: Axis, other: Axis): boolean =>
  one.bands.length === other.bands.length &&
  one.bands.at(-1)?.to === other.bands.at(-1)?.to &&
  (one.bands.length === 0 || one.to === other.to);

/** From the begin of the task to its end; to now while it waits or runs, and while a person drives. */
export function buildAxis({ bands, taskId, me, attempts = [], current, isPending = false, now }: Options): Axis {
  const drivers = driverBands(bandsOfTask(bands, taskId), { taskId, me, now });
  while (drivers.at(-1)?.kind === 'idle' && !isPending) drivers.pop();
  const from = drivers[0]?.from ?? now;
  const steps = stepsOf(attempts, from);
  const all = drivers.flatMap((band) => splitBySteps(band, steps, current));
  return {
    from,
    to: Math.max(all.at(-1)?.to ?? from, from + 1000),
    bands: all,
    steps,
    agentMs: sumOf(all, ['agent', 'failed']),
    personMs: sumOf(all, ['you', 'other']),
  };
}

/** Up to where a later task begins. */
function bandsOfTask(bands: readonly RecordingBand[], taskId: string | undefined): readonly RecordingBand[] {
  if (taskId === undefined) return bands;
  const last = bands.findLastIndex(({ task_id }) => task_id === taskId);
  if (last < 0) return bands;
  const next = bands.findIndex(({ task_id }, index) => index > last && task_id !== null);
  return next < 0 ? bands : bands.slice(0, next);
}

function driverBands(
  bands: readonly RecordingBand[],
  { taskId, me, now }: { taskId: string | undefined; me: string | undefined; now: number },
): Band[] {
  const drivers: Band[] = [];
  for (const band of bands) {
    const from = Date.parse(band.from);
    const to = band.to === null ? Math.max(from, now) : Date.parse(band.to);
    const kind = kindOf(band, taskId, me);
    const last = drivers.at(-1);
    if (last?.kind === kind && kind !== 'failed') last.to = to;
    else if (to > from) drivers.push({ kind, from, to, step: kind === 'failed' ? indexOf(band.step_id) : undefined });
  }
  return drivers;
}

function kindOf(
  { kind, task_id, held_by }: RecordingBand,
  taskId: string | undefined,
  me: string | undefined,
): BandKind {
  const isOwn = taskId === undefined || task_id === taskId || (kind === 'person' && task_id === null);
  if (!isOwn) return 'idle';
  if (kind !== 'person') return kind;
  return me === undefined || !held_by || held_by === me ? 'you' : 'other';
}

/** `step-3` is the third. */
const indexOf = (stepId: string | null): number | undefined => Number(/\d+$/.exec(stepId ?? '')?.[0]) || undefined;

function stepsOf(attempts: readonly Attempt[], begin: number): AxisStep[] {
  const steps: AxisStep[] = [];
  for (const tries of byStep(attempts)) {
    const [first, last] = [tries[0], tries.at(-1)];
    if (!first || !last) continue;
    const { index, stepId, title, to } = last;
    // Where earlier steps are not read yet, the first that is known begins with itself.
    const from = steps.at(-1)?.to ?? (index === 1 ? begin : first.from);
    steps.push({ index, stepId, title, from: Math.min(from, to), to });
  }
  return steps;
}

/** Cuts the time of the agent where a step ended. */
function splitBySteps(band: Band, steps: readonly AxisStep[], current: number | undefined): Band[] {
  if (band.kind !== 'agent') return [band];
  const parts: Band[] = [];
  let from = band.from;
  for (const { index, from: begun, to } of steps) {
    if (to <= from) continue;
    if (from >= band.to) break;
    if (begun > from && parts.length === 0) {
      const end = Math.min(begun, band.to);
      parts.push({ ...band, from, to: end });
      from = end;
    }
    const end = Math.min(to, band.to);
    if (end > from) parts.push({ ...band, from, to: end, step: index });
    from = Math.max(from, end);
  }
  const rest = current ?? steps.at(-1)?.index;
  const last = parts.at(-1);
  if (last && last.step === rest) last.to = band.to;
  else if (from < band.to) parts.push({ ...band, from, to: band.to, step: rest });
  return parts;
}

const sumOf = (bands: readonly Band[], kinds: BandKind[]): number =>
  bands.reduce((sum, { kind, from, to }) => (kinds.includes(kind) ? sum + to - from : sum), 0);

export const bandAt = ({ bands }: Axis, at: number): Band | undefined =>
  bands.find(({ from, to }) => at >= from && at < to) ?? (at >= (bands.at(-1)?.to ?? 0) ? bands.at(-1) : undefined);

/** The step whose time it is; in a pause the one that ended last. */
export const stepAt = ({ steps }: Axis, at: number): AxisStep | undefined =>
  steps.find(({ from, to }) => at > from && at <= to) ?? steps.findLast(({ to }) => to <= at);

/** No picture of that moment exists: a person drove. */
export function isPrivateAt(axis: Axis, at: number): boolean {
  const kind = bandAt(axis, at)?.kind;
  return kind === 'you' || kind === 'other';
}

const ranks: Record<BandKind, number> = { idle: 0, agent: 1, waiting: 2, failed: 3, other: 4, you: 5 };

/** At most about two times `most` bands: those too narrow to be seen are drawn as one, in the colour that says more. */
export function foldBands({ bands, from, to }: Axis, most = 240): Band[] {
  const leastMs = (to - from) / most;
  const drawn: Band[] = [];
  for (const band of bands) {
    const last = drawn.at(-1);
    const isNarrow = last && last.to - last.from < leastMs && band.to - band.from < leastMs;
    if (!isNarrow) drawn.push({ ...band });
    else
      Object.assign(last, ranks[band.kind] > ranks[last.kind] ? { kind: band.kind, step: band.step } : {}, {
        to: band.to,
      });
  }
  return drawn;
}

const niceSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400];

/** Times to write over the axis, at most `most` of them. */
export function axisMarks(spanMs: number, most = 8): number[] {
  const stepMs = (niceSteps.find((secs) => spanMs / (secs * 1000) <= most) ?? 86_400) * 1000;
  return Array.from({ length: Math.floor(spanMs / stepMs) + 1 }, (_, index) => index * stepMs);
}
