// The line of the time axis: bands, numbers of steps, the head that is dragged, and the picture under the pointer.

import { Lock } from 'lucide-react';
import { type KeyboardEvent, memo, type PointerEvent, useMemo, useRef, useState } from 'react';
import { useTime } from '../common/use-time.ts';
import { describeClock, describeTimeOfDay } from '../live/describe-time.ts';
import { type Axis, axisMarks, type Band, foldBands, type GrowingAxis } from '../tasks/axis-model.ts';
import { cx } from '../ui/class-names.ts';
import type { AxisControls, PictureSource } from './axis-controls.ts';
import { AxisPeek } from './axis-peek.tsx';
import { describeBand, ticksOf } from './describe-band.ts';

type AxisLineProps = { axis: GrowingAxis; controls: AxisControls; pictures: PictureSource };

/** A pointer that moves less between press and release clicks, and does not drag. */
const dragPx = 4;

export function AxisLine({ axis: growing, controls, pictures }: AxisLineProps) {
  const { at } = controls;
  const axis = useTime(growing.drawnAt);
  const line = useRef<HTMLDivElement>(null);
  const [hover, setHover] = useState<number>();
  const head = at ?? axis.to;
  const spanMs = axis.to - axis.from;
  const timeAt = (clientX: number) => {
    const box = line.current?.getBoundingClientRect();
    if (!box || box.width === 0) return axis.to;
    return axis.from + Math.min(1, Math.max(0, (clientX - box.left) / box.width)) * spanMs;
  };
  const pointer = usePointer(timeAt, controls, setHover);
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keyActions[event.key];
    if (!act) return;
    event.preventDefault();
    act(controls, axis);
  };
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
      {...pointer}
      className="relative h-full cursor-pointer touch-none rounded-1 -outline-offset-2 select-none"
    >
      {/* A layer of its own: it grows while the task goes on, and what stands around it need not be drawn again. */}
      <div className="absolute inset-0 will-change-transform">
        <Marks spanMs={spanMs} />
        <Bands axis={axis} />
        <Ticks axis={axis} head={head} onSeek={controls.onSeek} />
        {axis.bands.length > 0 && (
          <span aria-hidden data-testid="axis-head" className="axis-head" style={{ left: shareOf(axis, head) }} />
        )}
      </div>
      {hover !== undefined && axis.bands.length > 0 && (
        <>
          <span aria-hidden className="axis-ghost" style={{ left: shareOf(axis, hover) }} />
          <AxisPeek axis={axis} at={hover} pictures={pictures} left={shareOf(axis, hover)} />
        </>
      )}
    </div>
  );
}

const keyActions: Record<string, (controls: AxisControls, axis: Axis) => void> = {
  ArrowLeft: ({ onStep }) => onStep(-1),
  ArrowRight: ({ onStep }) => onStep(1),
  Home: ({ onSeek }, { from }) => onSeek(from),
  End: ({ onLive }) => onLive(),
};

function usePointer(
  timeAt: (clientX: number) => number,
  { onSeek }: AxisControls,
  setHover: (time: number | undefined) => void,
) {
  /** Where it was pressed; undefined while it is not. */
  const pressed = useRef<{ x: number; isDrag: boolean }>(undefined);
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      pressed.current = { x: event.clientX, isDrag: false };
      onSeek(timeAt(event.clientX));
    },
    onPointerMove: ({ clientX }: PointerEvent) => {
      const time = timeAt(clientX);
      setHover(time);
      const press = pressed.current;
      if (!press) return;
      press.isDrag ||= Math.abs(clientX - press.x) >= dragPx;
      if (press.isDrag) onSeek(time, true);
    },
    onPointerUp: ({ clientX }: PointerEvent) => {
      if (pressed.current?.isDrag) onSeek(timeAt(clientX));
      pressed.current = undefined;
    },
    onPointerCancel: () => {
      pressed.current = undefined;
    },
    onPointerLeave: () => setHover(undefined),
  };
}

const shareOf = ({ from, to }: Axis, time: number): string =>
  `${Math.min(100, Math.max(0, ((time - from) / (to - from)) * 100))}%`;

const Marks = memo(function Marks({ spanMs }: { spanMs: number }) {
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
});

const Bands = memo(function Bands({ axis }: { axis: Axis }) {
  const drawn = useMemo(() => foldBands(axis), [axis]);
  const spanMs = axis.to - axis.from;
  return (
    <div className="absolute inset-x-0 top-8 h-3 narrow:top-4">
      {drawn.map((band) => (
        <span
          key={`${band.kind} ${band.from}`}
          data-testid="band"
          data-kind={band.kind}
          data-step={band.step}
          className={cx('absolute grid h-full min-w-[2px] place-items-center rounded-[3px]', `band-${band.kind}`)}
          style={{ left: shareOf(axis, band.from), width: `calc(${((band.to - band.from) / spanMs) * 100}% - 2px)` }}
        >
          {isPerson(band) && <Lock size={9} strokeWidth={2.5} aria-label={describeBand(axis, band)} />}
        </span>
      ))}
    </div>
  );
});

const isPerson = ({ kind }: Band): boolean => kind === 'you' || kind === 'other';

type TicksProps = { axis: Axis; head: number; onSeek: AxisControls['onSeek'] };

/** Numbers of steps and names of drivers. A number goes to the end of its step, where its picture is. */
function Ticks({ axis, head, onSeek }: TicksProps) {
  const ticks = useMemo(() => ticksOf(axis), [axis]);
  return (
    <div aria-hidden className="absolute inset-x-0 top-12 h-4 narrow:hidden">
      {ticks.map(({ key, text, middle, from, to, end }) => (
        <b
          key={key}
          data-testid="tick"
          onPointerDown={(event) => {
            event.stopPropagation();
            onSeek(end);
          }}
          className={cx(
            'absolute -translate-x-1/2 px-1 text-11 tabular-nums hover:text-ink',
            head > from && head <= to ? 'font-semibold text-ink' : 'font-medium text-ink-3',
          )}
          style={{ left: shareOf(axis, middle) }}
        >
          {text}
        </b>
      ))}
    </div>
  );
}
