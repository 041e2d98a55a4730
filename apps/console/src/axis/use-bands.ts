// Who drove a session when, read from the server and again when something changed.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { client } from '../api/login.ts';
import type { LiveEvent, RecordingBand, TaskEvent } from '../live/api-types.ts';
import { mergeBands, rereadFrom } from './merge-bands.ts';

const pageSize = 200;
const maxPages = 50;
const refreshMs = 600;
const none: RecordingBand[] = [];

async function readBands(id: string, from: string | undefined, signal: AbortSignal): Promise<RecordingBand[]> {
  const bands: RecordingBand[] = [];
  let cursor: string | undefined;
  for (let page = 0; page === 0 || (cursor && page < maxPages); page += 1) {
    const read = await client.getRecordingBands({ id, from, limit: pageSize, cursor }, { signal });
    bands.push(...read.bands);
    cursor = read.next_cursor ?? undefined;
  }
  return bands;
}

/** `since`: when the task began; what was before it is not read. */
export function useBands(id: string, since: string | undefined) {
  const cache = useQueryClient();
  const key = useMemo(() => ['bands', id, since] as const, [id, since]);
  const { data = none } = useQuery({
    queryKey: key,
    enabled: since !== undefined,
    queryFn: async ({ signal }) => {
      const known = cache.getQueryData<RecordingBand[]>(key) ?? none;
      const from = rereadFrom(known);
      return mergeBands(known, await readBands(id, from ?? since, signal), from);
    },
    refetchInterval: 20_000,
    gcTime: 0,
  });

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const refresh = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void cache.invalidateQueries({ queryKey: key });
    }, refreshMs);
  }, [cache, key]);
  const onEvent = useCallback(
    ({ type }: LiveEvent | TaskEvent) => {
      if (changing.has(type)) refresh();
    },
    [refresh],
  );
  return { bands: data, onEvent };
}

/** After these another one may drive, or an attempt is known to have failed. */
const changing = new Set<string>(['task', 'takeover', 'message_state', 'agent_history', 'end', 'reset']);
