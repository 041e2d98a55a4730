// The picture of the moment under the pointer, over the time axis.

import { EyeOff, ImageOff } from 'lucide-react';
import { describeClock } from '../live/describe-time.ts';
import { type Axis, bandAt, isPrivateAt } from '../tasks/axis-model.ts';
import type { PictureSource } from './axis-controls.ts';
import { describeBand } from './describe-band.ts';
import { useRecordedPicture } from './recorded-pictures.ts';
import { frameAt } from './use-recording.ts';

type AxisPeekProps = { axis: Axis; at: number; pictures: PictureSource; left: string };

export function AxisPeek({ axis, at, pictures: { sessionId, frames }, left }: AxisPeekProps) {
  const band = bandAt(axis, at);
  const frame = frameAt(frames, at);
  const isKept = !isPrivateAt(axis, at) && frame?.path !== null;
  const url = useRecordedPicture(sessionId, isKept ? frame?.frame_id : undefined);
  if (!band) return null;
  return (
    <div
      data-testid="peek"
      className="axis-peek pointer-events-none absolute z-30 rounded-2 bg-raised p-1 shadow-float"
      style={{ left }}
    >
      <span className="relative grid h-[94px] place-content-center justify-items-center gap-1.5 overflow-hidden rounded-[3px] bg-sunken text-12 text-ink-2">
        {!isKept ? (
          <>
            <EyeOff size={20} strokeWidth={1.5} aria-hidden />
            Not kept
          </>
        ) : url ? (
          <img src={url} alt="" className="absolute inset-0 size-full object-cover object-top" />
        ) : (
          !frame && (
            <>
              <ImageOff size={20} strokeWidth={1.5} aria-hidden />
              No picture yet
            </>
          )
        )}
      </span>
      <span className="flex justify-between gap-2 px-1 pt-1 text-12 text-ink-2">
        <span className="truncate" dir="auto">
          {describeBand(axis, band)}
        </span>
        <span className="tabular-nums">{describeClock(at - axis.from)}</span>
      </span>
    </div>
  );
}
