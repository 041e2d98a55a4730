// Records the frames of sessions with recording on: at most two frames a second of each, and only frames that changed.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, frame, queues } from '@pilothouse/bus';
import { createHostClient } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import type { Store, ToRecord } from '@pilothouse/store';
import { always, type IsNeeded, startRepeating } from '../common/repeat.ts';
import { createFrameWriter } from './recorded-frames.ts';
import { createNewsFilter } from './recorded-news.ts';

type Options = { store: Store; bus: Bus; agentId: string; log: Log; isNeeded?: IsNeeded; everyMs?: number };
type RecordedSession = { hostId: string; ready: Promise<void>; close(): void };

/** From the end of one frame's write to the next frame. */
const betweenMs = 500;
/** An agent may miss a few rounds before another agent takes its sessions, and before hosts stop sending frames. */
const leaseMs = 4000;
const watchForMs = 4000;
const askMs = 1000;

export function startRecorder({ store, bus, agentId, log, isNeeded = always, everyMs = 1000 }: Options) {
  const hosts = createHostClient(bus);
  const write = createFrameWriter({ store, agentId });
  const sessions = new Map<string, RecordedSession>();

  function open({ sessionId, hostId }: ToRecord): RecordedSession {
    const closed = new AbortController();
    const { signal } = closed;
    const newsIn = createNewsFilter();
    // One at a time. During a pause a new frame replaces the one that waits, so the newest is always recorded.
    const frames = bus.subscribeNewest(
      frame,
      { session_id: sessionId },
      async (shown, from) => {
        // Any host can publish frames of any session; only the host that holds the session is believed.
        if (from.host_id !== recorded.hostId) return;
        const news = newsIn(shown);
        if (!news) return;
        const isKept = await write(sessionId, from.host_id, shown).catch((error) => {
          log.warn({ err: error, session_id: sessionId }, 'could not record a frame');
          return false;
        });
        if (isKept) news.recorded();
        // Aborted when the recording ends.
        await sleep(betweenMs, undefined, { signal }).catch(() => {});
      },
      { queue: queues.frame, signal },
    );
    const recorded: RecordedSession = {
      hostId,
      ready: frames.ready({ timeoutMs: askMs }),
      close: () => closed.abort(),
    };
    return recorded;
  }

  /** A host sends frames only while a session is watched, so the recorder watches it, with or without viewers. */
  async function watch({ sessionId, hostId }: ToRecord): Promise<void> {
    const recorded = sessions.get(sessionId) ?? open({ sessionId, hostId });
    sessions.set(sessionId, recorded);
    recorded.hostId = hostId;
    await recorded.ready;
    // A host that does not answer is asked again in the next round.
    await hosts.watch({ sessionId, hostId }, { forMs: watchForMs, isRecording: true, timeoutMs: askMs });
  }

  function close(sessionId: string): void {
    sessions.get(sessionId)?.close();
    sessions.delete(sessionId);
  }

  async function look(): Promise<void> {
    const mine = (await isNeeded()) ? await store.recorders.claim(agentId, leaseMs) : [];
    const wanted = new Set(mine.map(({ sessionId }) => sessionId));
    for (const sessionId of sessions.keys()) if (!wanted.has(sessionId)) close(sessionId);
    await Promise.all(
      mine.map((one) =>
        watch(one).catch((error) => {
          // The next round subscribes again.
          close(one.sessionId);
          log.warn({ err: error, session_id: one.sessionId }, 'could not record a session');
        }),
      ),
    );
  }

  const rounds = startRepeating(look, everyMs, (error) =>
    log.warn({ err: error }, 'could not look for sessions to record'),
  );
  return {
    async close() {
      await rounds.close();
      for (const sessionId of sessions.keys()) close(sessionId);
      // If this fails, other agents wait until the lease ends.
      await store.recorders.release(agentId).catch(() => {});
    },
  };
}
