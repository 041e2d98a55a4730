// The marks over the picture: what was done last, where, and in which words.

import {
  ArrowUpDown,
  type LucideIcon,
  MousePointer2,
  MousePointerClick,
  Navigation,
  StickyNote,
  TextCursorInput,
} from 'lucide-react';
import { useTime } from '../common/use-time.ts';
import type { Overlay } from '../live/api-types.ts';
import { type FrameSize, layOutMark, type Mark, strongMs, type View } from '../live/marks.ts';
import { cx } from '../ui/class-names.ts';

const icons: Record<Overlay['kind'], LucideIcon> = {
  box: MousePointer2,
  click: MousePointerClick,
  type: TextCursorInput,
  scroll: ArrowUpDown,
  navigate: Navigation,
  note: StickyNote,
};

type MarksLayerProps = {
  overlay: Overlay | undefined;
  frame: FrameSize;
  view: View;
  /** It is of a moment of the past, and stays strong. */
  isPast: boolean;
};

export function MarksLayer({ overlay, frame, view, isPast }: MarksLayerProps) {
  const recordedAt = Date.parse(overlay?.recorded_at ?? '');
  const isOld = useTime((now) => !isPast && now - recordedAt >= strongMs);
  if (!overlay || view.width === 0) return null;
  const mark = layOutMark(overlay, frame, view, isOld ? strongMs : 0);
  return (
    <div
      data-testid="marks"
      aria-hidden
      className="pointer-events-none absolute inset-0 overflow-hidden transition-opacity duration-(--slow)"
      style={{ opacity: mark.opacity }}
    >
      {mark.box && <MarkBox mark={mark} box={mark.box} />}
      {mark.point && <Cursor mark={mark} point={mark.point} />}
      {mark.label && <Label mark={mark} label={mark.label} />}
    </div>
  );
}

function MarkBox({ mark, box }: { mark: Mark; box: NonNullable<Mark['box']> }) {
  return (
    <span
      data-testid="mark-box"
      className={cx('mark-box', mark.isPerson && 'mark-person', box.isFilled && 'mark-filled')}
      style={{ left: box.x, top: box.y, width: box.width, height: box.height }}
    />
  );
}

function Cursor({ mark, point }: { mark: Mark; point: NonNullable<Mark['point']> }) {
  return (
    <>
      {mark.kind === 'click' && (
        <span className={cx('mark-point', mark.isPerson && 'mark-person')} style={{ left: point.x, top: point.y }} />
      )}
      <svg
        viewBox="0 0 24 24"
        aria-hidden="true"
        className="absolute top-0 left-0 size-[22px] transition-transform duration-(--normal)"
        style={{ transform: `translate(${point.x - 4}px, ${point.y - 2}px)` }}
      >
        <path
          d="M5 3l14.5 6.2-6.1 2.4-2.7 6.2z"
          fill={mark.isPerson ? '#b97a0a' : '#07495c'}
          stroke="#fff"
          strokeWidth="1.8"
          strokeLinejoin="round"
        />
      </svg>
    </>
  );
}

function Label({ mark, label }: { mark: Mark; label: NonNullable<Mark['label']> }) {
  const Icon = icons[mark.kind];
  return (
    <span
      data-testid="mark-label"
      dir="auto"
      className={cx('mark-label', mark.isPerson && 'mark-person')}
      style={
        label.isDocked ? { left: '50%', bottom: 8, transform: 'translateX(-50%)' } : { left: label.x, top: label.y }
      }
    >
      <Icon size={14} strokeWidth={1.75} aria-hidden className="shrink-0" />
      <span className="truncate">{label.text}</span>
    </span>
  );
}
