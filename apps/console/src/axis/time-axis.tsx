// The time axis under both panes: who drove, which step, and the moment that is shown.

import { Pause, Play, SkipBack, SkipForward } from 'lucide-react';
import { memo, useMemo, useRef } from 'react';
import { TimeText } from '../common/time-text.tsx';
import { useTime } from '../common/use-time.ts';
import { describeClock } from '../live/describe-time.ts';
import type { GrowingAxis } from '../tasks/axis-model.ts';
import { cx } from '../ui/class-names.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { Tool } from '../window/window-bar.tsx';
import type { AxisControls, PictureSource } from './axis-controls.ts';
import { AxisLine } from './axis-line.tsx';

type TimeAxisProps = {
  axis: GrowingAxis;
  isOpen: boolean;
  controls: AxisControls;
  pictures: PictureSource;
  /** The person points at the axis: steps that are not read yet may be wanted. */
  onPoint: () => void;
};

export function TimeAxis({ axis, isOpen, controls, pictures, onPoint }: TimeAxisProps) {
  const { at, isPlaying, speed } = controls;
  const acts = useActs(controls);
  const isEmpty = useTime((now) => axis.at(now).bands.length === 0);
  const readShown = (now: number) => {
    const { from, to } = axis.at(now);
    return describeClock(isEmpty ? 0 : (at ?? to) - from);
  };
  return (
    <section
      aria-label="Time"
      data-testid="axis"
      onPointerEnter={onPoint}
      onFocus={onPoint}
      className="grid h-[76px] shrink-0 grid-cols-[184px_minmax(0,1fr)_136px] items-center border-t border-line bg-surface narrow:h-11 narrow:grid-cols-[52px_minmax(0,1fr)_auto] narrow:gap-x-3"
    >
      <div className="flex items-center gap-0.5 pl-4 narrow:pl-3">
        <span className="contents narrow:hidden">
          <Playing {...acts} isPlaying={isPlaying} speed={speed} isEmpty={isEmpty} />
        </span>
        <span data-testid="axis-clock" className="ml-1.5 font-semibold tabular-nums narrow:ml-0">
          <TimeText read={readShown} />
        </span>
      </div>
      <AxisLine axis={axis} controls={controls} pictures={pictures} />
      <div className="flex justify-end pr-4 narrow:pr-3">
        <LiveButton controls={controls} isOpen={isOpen} />
      </div>
    </section>
  );
}

type Acts = Pick<AxisControls, 'onPlay' | 'onStep' | 'onSpeed'>;

/** The same functions each time: what the page is drawn for seldom concerns the buttons. */
function useActs(controls: AxisControls): Acts {
  const latest = useRef(controls);
  latest.current = controls;
  return useMemo(
    () => ({
      onPlay: () => latest.current.onPlay(),
      onStep: (direction) => latest.current.onStep(direction),
      onSpeed: () => latest.current.onSpeed(),
    }),
    [],
  );
}

type PlayingProps = Acts & Pick<AxisControls, 'isPlaying' | 'speed'> & { isEmpty: boolean };

const Playing = memo(function Playing({ isPlaying, speed, isEmpty, onPlay, onStep, onSpeed }: PlayingProps) {
  return (
    <>
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
      <Tooltip text="Speed of playback">
        <button
          type="button"
          data-testid="speed"
          aria-label={`Speed of playback: ${speed} times`}
          disabled={isEmpty}
          onClick={onSpeed}
          className={cx(
            'grid h-7 w-8 shrink-0 place-items-center rounded-2 text-12 font-semibold tabular-nums disabled:text-line-2 narrow:hidden',
            speed > 1 ? 'text-agent-ink' : 'text-ink-2',
            'enabled:hover:bg-hover enabled:hover:text-ink',
          )}
        >
          {`${speed}×`}
        </button>
      </Tooltip>
    </>
  );
});

function LiveButton({ controls: { at, newSteps, onLive }, isOpen }: Pick<TimeAxisProps, 'controls' | 'isOpen'>) {
  const isLive = at === undefined;
  return (
    <button
      type="button"
      onClick={onLive}
      // Not disabled: it would lose the focus when it is pressed.
      aria-disabled={isLive}
      data-testid="live"
      className={cx(
        'inline-flex h-7 items-center gap-1.5 rounded-full pr-3 text-12 font-semibold whitespace-nowrap',
        isLive ? 'bg-agent-soft text-agent-ink' : 'text-ink-2 inset-ring-1 inset-ring-line-2 hover:bg-hover',
        newSteps > 0 ? 'pl-1.5' : 'pl-2.5',
      )}
    >
      {newSteps > 0 ? (
        <span
          data-testid="new-steps"
          className="grid h-[18px] min-w-[18px] place-items-center rounded-full bg-agent px-1 text-11 text-on-agent tabular-nums"
        >
          {newSteps}
          <span className="sr-only">{newSteps === 1 ? ' new step. ' : ' new steps. '}</span>
        </span>
      ) : (
        <span
          aria-hidden
          className={cx('size-2 rounded-full', isLive && isOpen ? 'bg-agent ring-3 ring-agent/26' : 'bg-ink-3')}
        />
      )}
      {isLive ? 'Live' : 'Back to live'}
    </button>
  );
}
