// Looking back: the moment that is shown, its picture, playing, and going from step to step. The task goes on meanwhile.

import { useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import { clock } from '../common/clock.ts';
import { useTime } from '../common/use-time.ts';
import type { BrowserRoute, Overlay } from '../live/api-types.ts';
import { type Axis, type AxisStep, type GrowingAxis, isPrivateAt, stepAt } from '../tasks/axis-model.ts';
import type { PastView } from '../window/live-window.tsx';
import type { AxisControls } from './axis-controls.ts';
import { changesOf, neighbourOf, playFrom, type Speed, speeds } from './playback.ts';
import { useMoment } from './use-moment.ts';
import { frameAt, type RecordedFrame } from './use-recording.ts';

type Options = {
  sessionId: string;
  /** The moment in the address. */
  at: string | undefined;
  setAt: (at: string | undefined) => void;
  axis: GrowingAxis;
  /** The task goes on: the end of the axis is now. */
  isGrowing: boolean;
  frames: readonly RecordedFrame[];
  overlays: readonly Overlay[];
  refresh: () => void;
};

const tickMs = 100;

export function useLookBack({ sessionId, at, setAt, axis: growing, isGrowing, frames, overlays, refresh }: Options) {
  const [moment, go] = useMoment(at, setAt);
  // While live nothing here is drawn of it: it grows every second.
  const axis = useTime((now) => (moment === undefined ? undefined : growing.at(now)));
  const isPrivate = axis !== undefined && moment !== undefined && isPrivateAt(axis, moment);
  const frame = moment === undefined ? undefined : frameAt(frames, moment);
  const step: AxisStep | undefined = axis && moment !== undefined ? stepAt(axis, moment) : undefined;
  const past = usePast(sessionId, frame, overlays, isPrivate);
  const newSteps = useNewSteps(
    useTime((now) => growing.at(now).steps.at(-1)?.index ?? 0),
    moment !== undefined,
  );
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);

  const seek = (next: number, isSettling = false) => {
    if (moment === undefined) refresh();
    const { from, to } = growing.at(clock.now());
    go(Math.max(from, Math.min(next, to)), isSettling);
  };
  usePlaying({ isPlaying, speed, moment, axis, frames, seek }, () => {
    setPlaying(false);
    // What goes on has no end: there playback becomes live.
    if (isGrowing) go(undefined);
    else go(growing.at(clock.now()).to);
  });

  const controls: AxisControls = {
    at: moment,
    isPlaying,
    speed,
    newSteps,
    onSeek: (next, isSettling) => {
      setPlaying(false);
      seek(next, isSettling);
    },
    onLive: () => {
      setPlaying(false);
      go(undefined);
    },
    onPlay: () => {
      const { from, to } = growing.at(clock.now());
      if (isPlaying && moment !== undefined) go(moment);
      if (!isPlaying && (moment === undefined || moment >= to - tickMs)) seek(from, true);
      setPlaying(!isPlaying);
    },
    onSpeed: () => setSpeed(speeds[(speeds.indexOf(speed) + 1) % speeds.length] ?? 1),
    onStep: (direction) => {
      setPlaying(false);
      const line = growing.at(clock.now());
      const next = neighbourOf(line, moment ?? line.to, direction);
      if (next !== undefined) seek(next);
      else if (direction > 0) go(undefined);
    },
  };
  return { moment, axis, step, past, controls };
}

type Playing = {
  isPlaying: boolean;
  speed: Speed;
  moment: number | undefined;
  /** Undefined while live. */
  axis: Axis | undefined;
  frames: readonly RecordedFrame[];
  seek: (at: number, isSettling: boolean) => void;
};

function usePlaying(playing: Playing, onEnd: () => void): void {
  const { isPlaying, axis, frames } = playing;
  const changes = useMemo(() => {
    if (!isPlaying || !axis) return [];
    return changesOf(
      axis,
      frames.map(({ recorded_at }) => Date.parse(recorded_at)),
    );
  }, [isPlaying, axis, frames]);
  const latest = useRef({ ...playing, changes, onEnd });
  latest.current = { ...playing, changes, onEnd };
  useEffect(() => {
    if (!isPlaying) return;
    let last = performance.now();
    const timer = setInterval(() => {
      const { moment, speed, axis: line, changes: times, seek, onEnd: end } = latest.current;
      if (!line) return;
      const now = performance.now();
      const passedMs = Math.min(now - last, 3 * tickMs);
      last = now;
      const next = playFrom(moment ?? line.from, passedMs, speed, times, line.to);
      if (next >= line.to) end();
      else seek(next, true);
    }, tickMs);
    return () => clearInterval(timer);
  }, [isPlaying]);
}

/** Steps that ended since the person began to look back. */
function useNewSteps(ended: number, isPast: boolean): number {
  const seen = useRef(ended);
  if (!isPast) seen.current = ended;
  // The page was opened at a moment of the past: what is read first is not new.
  if (seen.current === 0) seen.current = ended;
  return Math.max(0, ended - seen.current);
}

const nowhere: BrowserRoute = { session: '', page: null, frame: null, url: null, title: null };

function usePast(
  sessionId: string,
  frame: RecordedFrame | undefined,
  overlays: readonly Overlay[],
  isPrivate: boolean,
): PastView | undefined {
  const { frame_id, content_type, path, step_id, recorded_at, width = 1280, height = 720 } = frame ?? {};
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
  if (isPrivate) return { picture: undefined, route: route ?? nowhere, width, height };
  return route && { picture, route, overlay, width, height };
}
