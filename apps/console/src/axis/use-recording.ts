// What was kept of a session, for the time axis and for looking back.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { client } from '../api/login.ts';
import type { LiveEvent, Overlay, RecordingItem } from '../live/api-types.ts';
import { type AxisEvent, axisEventOf } from '../tasks/axis-model.ts';

export type RecordedFrame = Extract<RecordingItem, { type: 'frame' }>['frame'];
export type Recording = { events: AxisEvent[]; frames: RecordedFrame[]; overlays: Overlay[]; to: number };

const windowMs = 300_000;
const maxWindows = 48;
const refreshMs = 3000;
const empty: Recording = { events: [], frames: [], overlays: [], to: 0 };

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
  const events = new Map(known.events.map((event) => [event.seq, event]));
  const frames = new Map(known.frames.map((frame) => [frame.frame_id, frame]));
  const overlays = new Map(known.overlays.map((overlay) => [overlay.overlay_id, overlay]));
  for (const item of items) {
    if (item.type === 'event') events.set(item.event.seq, item.event);
    else if (item.type === 'frame') frames.set(item.frame.frame_id, item.frame);
    else overlays.set(item.overlay.overlay_id, item.overlay);
  }
  const byTime = <Item extends { recorded_at: string }>(all: Iterable<Item>) =>
    [...all].toSorted((one, other) => Date.parse(one.recorded_at) - Date.parse(other.recorded_at));
  return {
    events: [...events.values()].toSorted((one, other) => one.seq - other.seq),
    frames: byTime(frames.values()),
    overlays: byTime(overlays.values()),
    to: Math.max(known.to, to),
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
      const begin = Math.max(Date.parse(since ?? '') - 2000, recording.to - 10_000);
      // The newest window first: it is the one that is looked at.
      for (let to = end, count = 0; to > begin && count < maxWindows; to -= windowMs, count += 1) {
        const items = await readWindow(id, Math.max(begin, to - windowMs), to, signal);
        recording = mergeRecording(recording, items, Date.now());
        cache.setQueryData(key, recording);
      }
      return recording;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

  const [live, setLive] = useState<AxisEvent[]>([]);
  const lastRead = useRef(0);
  const refresh = useCallback(() => {
    if (Date.now() - lastRead.current < refreshMs) return;
    lastRead.current = Date.now();
    void cache.invalidateQueries({ queryKey: key });
  }, [cache, key]);
  const add = useCallback((event: LiveEvent) => {
    const kept = axisEventOf(event);
    if (kept) setLive((before) => [...before.slice(-500), kept]);
  }, []);

  const events = useMemo(() => {
    const bySeq = new Map([...data.events, ...live].map((event) => [event.seq, event]));
    return [...bySeq.values()].toSorted((one, other) => one.seq - other.seq);
  }, [data.events, live]);
  return { events, frames: data.frames, overlays: data.overlays, add, refresh };
}

/** The newest frame at that moment; the first one before all of them. */
export function frameAt(frames: readonly RecordedFrame[], at: number): RecordedFrame | undefined {
  return frames.findLast(({ recorded_at }) => Date.parse(recorded_at) <= at) ?? frames[0];
}
