// The pictures and marks that were kept of a session, for looking back.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { client } from '../api/login.ts';
import type { Overlay, RecordingItem } from '../live/api-types.ts';

export type RecordedFrame = Extract<RecordingItem, { type: 'frame' }>['frame'];
export type Recording = { frames: RecordedFrame[]; overlays: Overlay[]; to: number; isWhole: boolean };

const windowMs = 300_000;
const maxWindows = 48;
const refreshMs = 3000;
const empty: Recording = { frames: [], overlays: [], to: 0, isWhole: false };

/** Reads one window completely. Within it items are oldest first. */
async function readWindow(id: string, from: number, to: number, signal: AbortSignal): Promise<RecordingItem[]> {
  const items: RecordingItem[] = [];
  let cursor: string | undefined;
  do {
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const page = await client.getRecording({ id, ...range, limit: 200, cursor }, { signal });
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return items;
}

/** In front of what is known already, or behind it. Nothing is kept twice. */
export function mergeRecording(known: Recording, items: readonly RecordingItem[], to: number): Recording {
  const frames = new Map(known.frames.map((frame) => [frame.frame_id, frame]));
  const overlays = new Map(known.overlays.map((overlay) => [overlay.overlay_id, overlay]));
  for (const item of items) {
    if (item.type === 'frame') frames.set(item.frame.frame_id, item.frame);
    else if (item.type === 'overlay') overlays.set(item.overlay.overlay_id, item.overlay);
  }
  const byTime = <Item extends { recorded_at: string }>(all: Iterable<Item>) =>
    [...all].toSorted((one, other) => Date.parse(one.recorded_at) - Date.parse(other.recorded_at));
  return {
    frames: byTime(frames.values()),
    overlays: byTime(overlays.values()),
    to: Math.max(known.to, to),
    isWhole: known.isWhole,
  };
}

/** `since`: when the task began; what was before it is not read. */
export function useRecording(id: string, since: string | undefined) {
  const cache = useQueryClient();
  const key = useMemo(() => ['recording', id, since] as const, [id, since]);
  const { data = empty } = useQuery({
    queryKey: key,
    enabled: since !== undefined,
    queryFn: async ({ signal }) => {
      let recording = cache.getQueryData<Recording>(key) ?? empty;
      const end = Date.now() + 60_000;
      // A first read that was cut off has only the newest windows.
      const begin = recording.isWhole ? recording.to - 10_000 : Date.parse(since ?? '') - 2000;
      // The newest window first: it is the one that is looked at.
      for (let to = end, count = 0; to > begin && count < maxWindows; to -= windowMs, count += 1) {
        const items = await readWindow(id, Math.max(begin, to - windowMs), to, signal);
        recording = mergeRecording(recording, items, Date.now());
        cache.setQueryData(key, recording);
      }
      return { ...recording, isWhole: true };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

  const lastRead = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const refresh = useCallback(() => {
    const restMs = lastRead.current + refreshMs - Date.now();
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined;
        lastRead.current = Date.now();
        void cache.invalidateQueries({ queryKey: key });
      },
      Math.max(0, restMs),
    );
  }, [cache, key]);
  return { frames: data.frames, overlays: data.overlays, refresh };
}

/** The newest frame at that moment; the first one before all of them. */
export function frameAt(frames: readonly RecordedFrame[], at: number): RecordedFrame | undefined {
  return frames.findLast(({ recorded_at }) => Date.parse(recorded_at) <= at) ?? frames[0];
}
