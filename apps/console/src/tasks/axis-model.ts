// The time axis: who drove from when to when, and which step was done in it.

import type { ExecutionStep, LiveEvent, RecordingItem, TaskProgress } from '../live/api-types.ts';

export type BandKind = 'agent' | 'you' | 'other' | 'waiting' | 'failed' | 'idle';
export type Band = {
  kind: BandKind;
  from: number;
  to: number;
  /** The number of the step in it. */
  step?: number;
};
export type Axis = {
  from: number;
  to: number;
  bands: Band[];
  agentMs: number;
  personMs: number;
};
export type AxisEvent = Extract<RecordingItem, { type: 'event' }>['event'];
type Attempt = Pick<ExecutionStep, 'status' | 'intent_at' | 'effect_at'>;

type Options = {
  /** In the order of the log. */
  events: readonly AxisEvent[];
  taskId: string | undefined;
  me: string | undefined;
  /** Attempts that failed or were cut off. */
  attempts?: readonly Attempt[];
  now: number;
};

type Moment = { status?: TaskProgress['status']; step: number; takeover?: 'requested' | 'active'; isMine: boolean };

/** From the first event of the task to its end; to now while it runs or a person drives. */
export function buildAxis({ events, taskId, me, attempts = [], now }: Options): Axis {
  const mine = eventsOfTask(events, taskId);
  let moment: Moment = { step: 0, isMine: false };
  const bands: Band[] = [];
  let last = Number.NaN;
  for (const event of mine) {
    const at = Date.parse(event.recorded_at);
    if (!Number.isNaN(last)) extend(bands, moment, last, at);
    moment = after(moment, event, taskId, me);
    last = at;
  }
  const isOpen = kindOf(moment) !== 'idle' || moment.status === 'pending';
  if (isOpen && !Number.isNaN(last)) extend(bands, moment, last, Math.max(last, now));
  while (bands.at(-1)?.kind === 'idle' && !isOpen) bands.pop();
  const all = withFailures(bands, attempts);
  const from = all[0]?.from ?? now;
  return {
    from,
    to: Math.max(all.at(-1)?.to ?? from, from + 1000),
    bands: all,
    agentMs: sumOf(all, ['agent', 'failed']),
    personMs: sumOf(all, ['you', 'other']),
  };
}

/** What was logged before the task belongs to an earlier one. */
function eventsOfTask(events: readonly AxisEvent[], taskId: string | undefined): readonly AxisEvent[] {
  if (taskId === undefined) return events;
  const first = events.findIndex((event) => event.type === 'task' && event.task_id === taskId);
  return first < 0 ? [] : events.slice(first);
}

function after(moment: Moment, event: AxisEvent, taskId: string | undefined, me: string | undefined): Moment {
  if (event.type === 'task' && event.task_id === taskId)
    return { ...moment, status: event.status.status, step: event.status.current_step };
  if (event.type !== 'takeover') return moment;
  const { status, held_by } = event.takeover;
  const takeover = status === 'requested' || status === 'active' ? status : undefined;
  return { ...moment, takeover, isMine: me === undefined || held_by === null || held_by === me };
}

function kindOf({ status, takeover, isMine }: Moment): BandKind {
  if (takeover === 'active') return isMine ? 'you' : 'other';
  if (takeover === 'requested' || status === 'awaiting_user') return 'waiting';
  return status === 'running' || status === 'takeover' ? 'agent' : 'idle';
}

/** Goes on with the last band, or begins the next. */
function extend(bands: Band[], moment: Moment, from: number, to: number): void {
  const kind = kindOf(moment);
  const step = kind === 'agent' && moment.step > 0 ? moment.step : undefined;
  const last = bands.at(-1);
  if (last && last.kind === kind && (last.step === step || last.step === undefined || step === undefined)) {
    last.to = to;
    last.step ??= step;
  } else if (to > from) {
    bands.push({ kind, from, to, step });
  }
}

/** Cuts the time of failed attempts out of the bands of the agent. */
function withFailures(bands: Band[], attempts: readonly Attempt[]): Band[] {
  const failed = attempts.flatMap(({ status, intent_at, effect_at }) =>
    (status === 'failed' || status === 'interrupted') && effect_at
      ? [{ from: Date.parse(intent_at), to: Date.parse(effect_at) }]
      : [],
  );
  return failed.reduce((cut, failure) => cut.flatMap((band) => cutOut(band, failure)), bands);
}

function cutOut(band: Band, failure: { from: number; to: number }): Band[] {
  const from = Math.max(band.from, failure.from);
  const to = Math.min(band.to, failure.to);
  if (band.kind !== 'agent' || to <= from) return [band];
  const parts: Band[] = [
    { ...band, to: from },
    { ...band, kind: 'failed', from, to },
    { ...band, from: to },
  ];
  return parts.filter((part) => part.to > part.from);
}

const sumOf = (bands: readonly Band[], kinds: BandKind[]): number =>
  bands.reduce((sum, { kind, from, to }) => (kinds.includes(kind) ? sum + to - from : sum), 0);

/** The events of the axis among those of the live stream. */
export function axisEventOf(event: LiveEvent): AxisEvent | undefined {
  return event.type === 'task' || event.type === 'takeover' ? event : undefined;
}

const niceSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400];

/** Times to write over the axis, at most `most` of them. */
export function axisMarks(spanMs: number, most = 8): number[] {
  const stepMs = (niceSteps.find((secs) => spanMs / (secs * 1000) <= most) ?? 86_400) * 1000;
  return Array.from({ length: Math.floor(spanMs / stepMs) + 1 }, (_, index) => index * stepMs);
}
