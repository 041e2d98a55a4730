// Keeps what is seen in sessions that are recorded: at most two frames a second of each, and only what has changed.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, type Frame, frame, queues, sessionCommand } from '@pilothouse/bus';
import type { BrowserRoute } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import { blobsOf, newId, type Store, storableJson, type ToRecord } from '@pilothouse/store';
import { startRounds } from './rounds.ts';

type Options = { store: Store; bus: Bus; agentId: string; log: Log; everyMs?: number };
type Recorded = { hostId: string; ready: Promise<void>; close(): void };

/** Between the end of one and the begin of the next. */
const betweenMs = 500;
/** An agent may miss a few rounds before another takes its sessions, and before their hosts stop sending. */
const leaseMs = 4000;
const watchForMs = 4000;
const askMs = 1000;

export function startRecorder({ store, bus, agentId, log, everyMs = 1000 }: Options) {
  const sessions = new Map<string, Recorded>();

  /** False where it was not ours to keep, or nothing to be kept any more. */
  async function keep(sessionId: string, hostId: string, { header, image }: Frame): Promise<boolean> {
    const { content_type, width, height, device_scale, page, url, title } = header;
    const frameId = newId();
    // Nobody would be shown a private one: its bytes are not even kept.
    const blobKey = header.private ? null : `${blobsOf(sessionId)}/${frameId}.jpeg`;
    // Before its row: a picture that nobody points to does no harm, a pointer to nothing would.
    if (blobKey) await store.blobs.put(blobKey, image);
    // Where a person goes may hold what they wrote.
    const place = header.private ? { url: null, title: null } : { url, title };
    const route: BrowserRoute = { session: sessionId, page, frame: null, ...place };
    const taken = {
      session_id: sessionId,
      frame_id: frameId,
      content_type,
      width,
      height,
      device_scale,
      // Written by pages, in part.
      route: JSON.stringify(storableJson(route)),
      private: header.private,
      blob_key: blobKey,
      byte_len: blobKey ? image.length : 0,
    };
    const isKept = await store.change(sessionId, (tx) => store.frames.putWatched(tx, taken, { hostId, agentId }));
    if (!isKept && blobKey) await store.blobs.removeAll(blobKey);
    return isKept;
  }

  function open({ sessionId, hostId }: ToRecord): Recorded {
    const closed = new AbortController();
    const { signal } = closed;
    let last: string | undefined;
    // One at a time, and while it rests after one, what arrives replaces what waits: the newest always comes through.
    const frames = bus.subscribeNewest(
      frame,
      { session_id: sessionId },
      async (shown, from) => {
        // Any host may speak of any session on its own subject; only the one that holds it is believed.
        if (from.host_id !== recorded.hostId) return;
        const look = lookOf(shown);
        if (look === last) return;
        const isKept = await keep(sessionId, from.host_id, shown).catch((error) => {
          log.warn({ err: error, session_id: sessionId }, 'could not keep a frame');
          return false;
        });
        if (isKept) last = look;
        // Cut short when the recording ends, and then nothing follows.
        await sleep(betweenMs, undefined, { signal }).catch(() => {});
      },
      { queue: queues.frame, signal },
    );
    const recorded: Recorded = {
      hostId,
      ready: frames.ready({ timeoutMs: askMs }),
      close: () => closed.abort(),
    };
    return recorded;
  }

  /** A recorded session is watched, whether or not anybody looks: else its host would send nothing. */
  async function watch({ sessionId, hostId }: ToRecord): Promise<void> {
    const recorded = sessions.get(sessionId) ?? open({ sessionId, hostId });
    sessions.set(sessionId, recorded);
    recorded.hostId = hostId;
    await recorded.ready;
    const to = { host_id: hostId, session_id: sessionId };
    // One that does not answer is asked again in the next round, or has lost the session by then.
    await bus.request(sessionCommand, to, { type: 'watch', for_ms: watchForMs }, { timeoutMs: askMs });
  }

  function close(sessionId: string): void {
    sessions.get(sessionId)?.close();
    sessions.delete(sessionId);
  }

  async function look(): Promise<void> {
    const mine = await store.recorders.claim(agentId, leaseMs);
    const wanted = new Set(mine.map(({ sessionId }) => sessionId));
    for (const sessionId of sessions.keys()) if (!wanted.has(sessionId)) close(sessionId);
    await Promise.all(
      mine.map((one) =>
        watch(one).catch((error) => {
          // Listened for anew in the next round.
          close(one.sessionId);
          log.warn({ err: error, session_id: one.sessionId }, 'could not record');
        }),
      ),
    );
  }

  const rounds = startRounds(look, everyMs, (error) => log.warn({ err: error }, 'could not look what to record'));
  return {
    async close() {
      await rounds.close();
      for (const sessionId of sessions.keys()) close(sessionId);
      // Others wait for the end of the lease where this fails.
      await store.recorders.release(agentId).catch(() => {});
    },
  };
}

/** What tells a picture from the next. All private ones look alike: that there is one is worth one line. */
const lookOf = ({ header, image }: Frame): string =>
  header.private ? 'private' : createHash('sha256').update(image).digest('base64');
