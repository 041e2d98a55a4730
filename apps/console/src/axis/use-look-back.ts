// Looking back: the moment in the address, its picture, and going from step to step. The task goes on meanwhile.

import { useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import type { BrowserRoute, Overlay } from '../live/api-types.ts';
import type { Axis } from '../tasks/axis-model.ts';
import type { PastView } from '../window/live-window.tsx';
import type { AxisControls } from './time-axis.tsx';
import { frameAt, type RecordedFrame } from './use-recording.ts';

type Options = {
  sessionId: string;
  /** The moment in the address. */
  at: string | undefined;
  setAt: (at: string | undefined) => void;
  axis: Axis;
  frames: readonly RecordedFrame[];
  overlays: readonly Overlay[];
  refresh: () => void;
};

const tickMs = 100;
/** Longer than this nothing changed: playback goes on with what comes next. */
const gapMs = 3000;

export function useLookBack({ sessionId, at, setAt, axis, frames, overlays, refresh }: Options) {
  const time = at === undefined ? undefined : Date.parse(at);
  const moment = time === undefined || Number.isNaN(time) ? undefined : time;
  const frame = moment === undefined ? undefined : frameAt(frames, moment);
  const past = usePast(sessionId, frame, overlays);
  const [isPlaying, setPlaying] = useState(false);
  const seenSteps = useRef(0);
  const steps = countSteps(axis);
  if (moment === undefined) seenSteps.current = steps;

  const seek = (next: number) => {
    if (moment === undefined) refresh();
    setAt(new Date(Math.min(next, axis.to)).toISOString());
  };
  const latest = useRef({ moment, seek, axis, frames });
  latest.current = { moment, seek, axis, frames };
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => {
      const { moment: now = 0, seek: go, axis: line, frames: all } = latest.current;
      const next = all.find(({ recorded_at }) => Date.parse(recorded_at) > now);
      const comes = next ? Date.parse(next.recorded_at) : line.to;
      if (now >= line.to) setPlaying(false);
      else go(comes - now > gapMs ? comes - tickMs : now + tickMs);
    }, tickMs);
    return () => clearInterval(timer);
  }, [isPlaying]);

  const controls: AxisControls = {
    at: moment,
    isPlaying,
    newSteps: Math.max(0, steps - seenSteps.current),
    onSeek: (next) => {
      setPlaying(false);
      seek(next);
    },
    onLive: () => {
      setPlaying(false);
      setAt(undefined);
    },
    onPlay: () => {
      if (!isPlaying && (moment === undefined || moment >= axis.to)) seek(axis.from);
      setPlaying(!isPlaying);
    },
    onStep: (direction) => {
      setPlaying(false);
      const next = neighbour(axis, frames, moment ?? axis.to, direction);
      if (next !== undefined) seek(next);
      else if (direction > 0) setAt(undefined);
    },
  };
  return { moment, frame, past, controls };
}

/** The end of the step before or after: the picture of a step is the one at its end. */
function neighbour(axis: Axis, frames: readonly RecordedFrame[], at: number, direction: -1 | 1): number | undefined {
  const ends = frames.flatMap(({ step_id, recorded_at }) => (step_id ? [Date.parse(recorded_at)] : []));
  const times = ends.length > 0 ? ends : axis.bands.map(({ to }) => to);
  return direction < 0 ? times.findLast((time) => time < at - 1) : times.find((time) => time > at + 1);
}

const countSteps = ({ bands }: Axis): number => new Set(bands.flatMap(({ step }) => step ?? [])).size;

function usePast(
  sessionId: string,
  frame: RecordedFrame | undefined,
  overlays: readonly Overlay[],
): PastView | undefined {
  const { frame_id, content_type, path, step_id, recorded_at, width, height } = frame ?? {};
  const route = frame?.route as BrowserRoute | undefined;
  const overlay = useMemo(() => {
    if (step_id) return overlays.findLast((one) => one.step_id === step_id);
    const at = Date.parse(recorded_at ?? '');
    return overlays.findLast((one) => Date.parse(one.recorded_at) <= at);
  }, [overlays, step_id, recorded_at]);
  const picture = useMemo(
    () =>
      frame_id && path && content_type
        ? {
            id: frame_id,
            contentType: content_type,
            bytes: async () => {
              const response = await client.getRecordedFrame({ id: sessionId, frame_id });
              return new Uint8Array(await response.arrayBuffer());
            },
          }
        : undefined,
    [sessionId, frame_id, path, content_type],
  );
  if (!route || width === undefined || height === undefined) return undefined;
  return { picture, route, overlay, width, height };
}
