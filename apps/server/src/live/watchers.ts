import { type Bus, type Frame, frame, sessionCommand } from '@pilothouse/bus';
import type { LiveEvent } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { encodeEvent } from '../http/event-stream.ts';

type Options = { store: Store; bus: Bus; log: Log };
type Viewer = { onFrame: (bytes: Buffer) => void };
type Watched = { viewers: Set<Viewer>; last: Buffer | undefined; renew(): void; close(): void };

const renewMs = 1000;
/** Three renewals may be lost before the host stops sending. */
const watchForMs = 4000;

/** Frames for whoever watches a session: asked of the host while somebody does, encoded once, the newest kept. */
export function createWatchers({ store, bus, log }: Options) {
  const sessions = new Map<string, Watched>();

  function open(sessionId: string): Watched {
    let holder: string | null = null;
    const frames = bus.subscribeNewest(frame, { session_id: sessionId }, (message, from) => {
      // Any host may speak of any session on its own subject; only the one that holds it is believed.
      if (from.host_id !== holder) return;
      watched.last = encodeEvent({ type: 'frame', data: frameEvent(message) });
      for (const { onFrame } of watched.viewers) onFrame(watched.last);
    });
    const askHost = async () => {
      const browser = await store.browsers.of(sessionId);
      holder = browser?.is_live ? browser.host_id : null;
      if (!holder) return;
      const to = { host_id: holder, session_id: sessionId };
      await bus.request(sessionCommand, to, { type: 'watch', for_ms: watchForMs }, { timeoutMs: renewMs });
    };
    const renew = () => {
      askHost().catch((error) => log.warn({ err: error, session_id: sessionId }, 'could not ask for frames'));
    };
    const timer = setInterval(renew, renewMs);
    const watched: Watched = {
      viewers: new Set(),
      last: undefined,
      renew,
      close() {
        clearInterval(timer);
        frames.close();
        sessions.delete(sessionId);
      },
    };
    sessions.set(sessionId, watched);
    return watched;
  }

  return {
    /** Offers every new frame until the signal, beginning with the one that is kept. */
    watch(sessionId: string, onFrame: Viewer['onFrame'], signal: AbortSignal): void {
      const watched = sessions.get(sessionId) ?? open(sessionId);
      const viewer = { onFrame };
      watched.viewers.add(viewer);
      signal.addEventListener('abort', () => {
        watched.viewers.delete(viewer);
        if (watched.viewers.size === 0) watched.close();
      });
      if (watched.last) onFrame(watched.last);
      watched.renew();
    },

    /** The browser of this session has changed: ask its host at once. */
    refresh: (sessionId: string) => sessions.get(sessionId)?.renew(),

    /** How many watch at this server. */
    count: (sessionId: string) => sessions.get(sessionId)?.viewers.size ?? 0,

    close() {
      for (const watched of sessions.values()) watched.close();
    },
  };
}
export type Watchers = ReturnType<typeof createWatchers>;

function frameEvent({ header, image }: Frame): Extract<LiveEvent, { type: 'frame' }> {
  const { frame_id, session_id, seq, recorded_at, content_type, width, height, device_scale, page, url, title } =
    header;
  return {
    type: 'frame',
    frame: {
      frame_id,
      session_id,
      task_id: null,
      seq,
      recorded_at,
      content_type,
      width,
      height,
      device_scale,
      screenshot_base64: Buffer.from(image).toString('base64'),
      route: { session: session_id, page, frame: null, url, title },
      private: header.private,
    },
  };
}
