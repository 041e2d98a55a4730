// A session as components read it: the snapshot first, then what the live stream adds.

import type { Client } from '@pilothouse/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { readAgain } from '../api/query-client.ts';
import type { Connection, LiveEvent } from '../live/api-types.ts';
import { followStream } from '../live/follow.ts';
import { createFrameSlot, type FrameSlot } from '../live/frame-slot.ts';
import { createHeldMarks } from '../live/held-marks.ts';
import { applyLive, restoreSession, type SessionView } from '../live/session-model.ts';
import { sessionKey } from './session-key.ts';

type Options = {
  client: Pick<Client, 'getSession' | 'followSession'>;
  id: string;
  /** Hears every event of the stream. */
  onEvent?: (event: LiveEvent) => void;
};
export type LiveSession = {
  view: SessionView | undefined;
  error: unknown;
  connection: Connection;
  frames: FrameSlot;
};

export function useSession({ client, id, onEvent }: Options): LiveSession {
  const cache = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session has frames of its own
  const frames = useMemo(createFrameSlot, [id]);
  const [connection, setConnection] = useState<Connection>('connecting');
  const query = useQuery({
    queryKey: sessionKey(id),
    queryFn: async ({ signal }) => {
      const { snapshot } = await client.getSession({ id }, { signal });
      if (snapshot.last_frame) frames.put(snapshot.last_frame);
      return restoreSession(snapshot, cache.getQueryData<SessionView>(sessionKey(id)));
    },
    // The stream keeps it new.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: readAgain,
  });

  const isRead = query.data !== undefined;
  useEffect(() => {
    if (!isRead) return;
    const stop = new AbortController();
    const { signal } = stop;
    let isFirst = true;
    const marks = createHeldMarks({
      apply: (event) => {
        const view = cache.getQueryData<SessionView>(sessionKey(id));
        const next = view && applyLive(view, event);
        // Most frames differ in the picture alone.
        if (next !== view) cache.setQueryData(sessionKey(id), next);
      },
    });
    setConnection('connecting');
    void followStream<LiveEvent>({
      read: async () => {
        if (!isFirst) await cache.refetchQueries({ queryKey: sessionKey(id) });
        isFirst = false;
        return cache.getQueryData<SessionView>(sessionKey(id))?.cursor ?? '';
      },
      open: (cursor, options) => client.followSession({ id, cursor }, options),
      apply: (event) => {
        if (event.type === 'frame') frames.put(event.frame);
        if (event.type === 'snapshot' && event.snapshot.last_frame) frames.put(event.snapshot.last_frame);
        marks.take(event);
        onEvent?.(event);
      },
      onConnection: setConnection,
      signal,
    });
    return () => {
      stop.abort();
      marks.close();
    };
  }, [client, id, isRead, cache, frames, onEvent]);

  // What was read once stays in sight.
  return { view: query.data, error: isRead ? null : query.error, connection, frames };
}
