// The time axis under both panes: who drove, which step, and the moment that is shown.

import { Lock, Pause, Play, SkipBack, SkipForward } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { describeClock, describeTimeOfDay } from '../live/describe-time.ts';
import { type Axis, axisMarks, type Band } from '../tasks/axis-model.ts';
import { cx } from '../ui/class-names.ts';
import { Tool } from '../window/window-bar.tsx';

export type AxisControls = {
  /** The moment that is looked back to; undefined while live. */
  at: number | undefined;
  isPlaying: boolean;
  /** Steps that ended since the person began to look back. */
  newSteps: number;
  onSeek: (at: number) => void;
  onLive: () => void;
  onPlay: () => void;
  onStep: (direction: -1 | 1) => void;
};

type TimeAxisProps = { axis: Axis; isOpen: boolean; controls: AxisControls };

export function TimeAxis({ axis, isOpen, controls }: TimeAxisProps) {
  const { at, isPlaying, newSteps, onLive, onPlay, onStep } = controls;
  const shown = (at ?? axis.to) - axis.from;
  const isEmpty = axis.bands.length === 0;
  return (
    <section
      aria-label="Time"
      data-testid="axis"
      className="grid h-[76px] shrink-0 grid-cols-[148px_minmax(0,1fr)_132px] items-center border-t border-line bg-surface narrow:h-11 narrow:grid-cols-[52px_minmax(0,1fr)_auto] narrow:gap-x-3"
    >
      <div className="flex items-center gap-0.5 pl-4 narrow:pl-3">
        <span className="contents narrow:hidden">
          <Tool
            icon={SkipBack}
            label="Step before"
            disabled={isEmpty}
            onClick={() => onStep(-1)}
            className="narrow:hidden"
          />
          <Tool
            icon={isPlaying ? Pause : Play}
            label={isPlaying ? 'Pause' : 'Play'}
            disabled={isEmpty}
            onClick={onPlay}
            className="narrow:hidden"
          />
          <Tool
            icon={SkipForward}
            label="Step after"
            disabled={isEmpty}
            onClick={() => onStep(1)}
            className="narrow:hidden"
          />
        </span>
        <span className="ml-1.5 font-semibold tabular-nums narrow:ml-0">{describeClock(isEmpty ? 0 : shown)}</span>
      </div>
      <Line axis={axis} controls={controls} />
      <div className="flex justify-end pr-4 narrow:pr-3">
        <button
          type="button"
          onClick={onLive}
          disabled={at === undefined}
          data-testid="live"
          className={cx(
            'inline-flex h-7 items-center gap-1.5 rounded-full pr-3 pl-2.5 text-12 font-semibold whitespace-nowrap',
            at === undefined
              ? 'bg-agent-soft text-agent-ink'
              : 'text-ink-2 inset-ring-1 inset-ring-line-2 hover:bg-hover',
          )}
        >
          <span
            aria-hidden
            className={cx(
              'size-2 rounded-full',
              at === undefined && isOpen ? 'bg-agent ring-3 ring-agent/26' : 'bg-ink-3',
            )}
          />
          {at === undefined ? 'Live' : 'Back to live'}
          {at !== undefined && newSteps > 0 && <span className="tabular-nums">{`· ${newSteps} new`}</span>}
        </button>
      </div>
    </section>
  );
}

function Line({ axis, controls: { at, onSeek, onStep } }: Pick<TimeAxisProps, 'axis' | 'controls'>) {
  const line = useRef<HTMLDivElement>(null);
  const [hover, setHover] = useState<number>();
  const spanMs = axis.to - axis.from;
  const share = (time: number) => `${Math.min(100, Math.max(0, ((time - axis.from) / spanMs) * 100))}%`;
  const timeAt = ({ clientX }: PointerEvent) => {
    const box = line.current?.getBoundingClientRect();
    if (!box || box.width === 0) return axis.to;
    return axis.from + Math.min(1, Math.max(0, (clientX - box.left) / box.width)) * spanMs;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    onStep(event.key === 'ArrowLeft' ? -1 : 1);
  };
  const head = at ?? axis.to;
  const under = hover === undefined ? undefined : axis.bands.find(({ from, to }) => hover >= from && hover <= to);
  return (
    <div
      ref={line}
      role="slider"
      tabIndex={0}
      aria-label="Moment"
      aria-valuemin={0}
      aria-valuemax={Math.round(spanMs / 1000)}
      aria-valuenow={Math.round((head - axis.from) / 1000)}
      aria-valuetext={at === undefined ? 'Live' : describeTimeOfDay(at, true)}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        onSeek(timeAt(event));
      }}
      onPointerMove={(event) => {
        setHover(timeAt(event));
        if (event.buttons === 1) onSeek(timeAt(event));
      }}
      onPointerLeave={() => setHover(undefined)}
      className="relative h-full cursor-pointer touch-none rounded-1 -outline-offset-2"
    >
      <Marks spanMs={spanMs} />
      <div className="absolute inset-x-0 top-8 h-3 narrow:top-4">
        {axis.bands.map((band) => (
          <BandPiece
            key={`${band.kind} ${band.from}`}
            band={band}
            left={share(band.from)}
            width={`${((band.to - band.from) / spanMs) * 100}%`}
          />
        ))}
      </div>
      <div aria-hidden className="absolute inset-x-0 top-12 h-4 narrow:hidden">
        {ticksOf(axis).map(({ key, text, middle, isOn }) => (
          <b
            key={key}
            className={cx(
              'absolute -translate-x-1/2 text-11 tabular-nums',
              isOn(head) ? 'font-semibold text-ink' : 'font-medium text-ink-3',
            )}
            style={{ left: share(middle) }}
          >
            {text}
          </b>
        ))}
      </div>
      {axis.bands.length > 0 && <span aria-hidden className="axis-head" style={{ left: share(head) }} />}
      {under && hover !== undefined && (
        <span
          className="pointer-events-none absolute bottom-full z-30 mb-1 -translate-x-1/2 rounded-2 bg-raised px-2.5 py-1.5 text-12 whitespace-nowrap shadow-float"
          style={{ left: share(hover) }}
        >
          {`${wordsOf(under)} · ${describeClock(hover - axis.from)}`}
        </span>
      )}
    </div>
  );
}

function Marks({ spanMs }: { spanMs: number }) {
  return (
    <div aria-hidden className="absolute inset-x-0 top-2.5 h-4 text-11 text-ink-3 tabular-nums narrow:hidden">
      {axisMarks(spanMs).map((ms) => (
        <span
          key={ms}
          className={cx('absolute', ms > 0 && '-translate-x-1/2')}
          style={{ left: `${(ms / spanMs) * 100}%` }}
        >
          {describeClock(ms)}
        </span>
      ))}
    </div>
  );
}

function BandPiece({ band, left, width }: { band: Band; left: string; width: string }) {
  return (
    <span
      data-testid="band"
      data-kind={band.kind}
      className="absolute h-full pr-0.5"
      style={{ left, width }}
      title={wordsOf(band)}
    >
      <span className={cx('grid size-full min-w-[2px] place-items-center rounded-[3px]', `band-${band.kind}`)}>
        {(band.kind === 'you' || band.kind === 'other') && <Lock size={9} strokeWidth={2.5} aria-hidden />}
      </span>
    </span>
  );
}

const words: Record<Band['kind'], string> = {
  agent: 'The agent drove',
  you: 'You drove · not kept',
  other: 'Another person drove · not kept',
  waiting: 'Waited for a person',
  failed: 'A try that failed',
  idle: 'Nobody drove',
};
const wordsOf = ({ kind, step }: Band): string => (step === undefined ? words[kind] : `Step ${step}`);

type Tick = { key: string; text: string; middle: number; isOn: (at: number) => boolean };

/** Numbers of steps and names of drivers under the bands that are wide enough. */
function ticksOf({ bands, from, to }: Axis): Tick[] {
  const ticks: Tick[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const band of bands) {
    const text =
      band.kind === 'you'
        ? 'you'
        : band.kind === 'other'
          ? 'other'
          : band.kind === 'agent'
            ? String(band.step ?? '')
            : '';
    const middle = (band.from + band.to) / 2;
    const isClose = (middle - last) / (to - from) < 0.022;
    if (!text || isClose || ticks.at(-1)?.text === text) continue;
    last = middle;
    ticks.push({ key: `${text} ${band.from}`, text, middle, isOn: (at) => at > band.from && at <= band.to });
  }
  return ticks;
}
