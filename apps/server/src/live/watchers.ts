import { type Bus, type Frame, frame, sessionCommand } from '@pilothouse/bus';
import type { Frame as LiveFrame } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { encodeEvent } from '../http/event-stream.ts';
import type { Ending } from './hub.ts';
import { shareFrame } from './share.view.ts';

type Options = {
  store: Store;
  bus: Bus;
  log: Log;
  /** Nobody answers for a browser that somebody watches. */
  onSilent: (sessionId: string, held: { hostId: string; epoch: number }) => Promise<void>;
};
type Viewer = { onFrame: (bytes: Buffer) => void; isGuest: boolean };
type Watched = { viewers: Set<Viewer>; last: Encoded | undefined; renew(): void; close(): void };
/** Nothing for guests, where the frame is private. */
type Encoded = { forCallers(): Buffer; forGuests(): Buffer | undefined };

/** So often that whoever watches is told within a second of the death of a host. */
const renewMs = 500;
/** Several renewals may be lost before the host stops sending. */
const watchForMs = 4000;
/** How often, and how far apart, a host that nobody hears is asked before its browser counts as gone. */
const silentAsks = 3;
const silentMs = 150;

/**
 * Frames for whoever watches a session: asked of the host while somebody does, encoded once for
 * those who may see all and once for guests, the newest kept.
 */
export function createWatchers({ store, bus, log, onSilent }: Options) {
  const sessions = new Map<string, Watched>();

  function open(sessionId: string): Watched {
    let holder: string | null = null;
    let isDriven = false;
    let silentTimes = 0;
    const frames = bus.subscribeNewest(frame, { session_id: sessionId }, (message, from) => {
      // Any host may speak of any session on its own subject; only the one that holds it is believed.
      if (from.host_id !== holder) return;
      watched.last = encode(viewFrame(message, isDriven));
      for (const viewer of watched.viewers) show(watched.last, viewer);
    });
    const askHost = async () => {
      const browser = await store.browsers.of(sessionId);
      holder = browser?.is_live ? browser.host_id : null;
      isDriven = browser?.is_driven ?? false;
      if (!holder || !browser) return;
      const to = { host_id: holder, session_id: sessionId };
      const watch = { type: 'watch', for_ms: watchForMs, is_driven: isDriven } as const;
      const asked = await bus.request(sessionCommand, to, watch, { timeoutMs: renewMs });
      // One that is only being opened is not heard yet.
      const isSilent = !asked.ok && asked.reason === 'no_responders' && browser.browser === 'live';
      silentTimes = isSilent ? silentTimes + 1 : 0;
      if (!isSilent || sessions.get(sessionId) !== watched) return;
      // One that lost the bus for a moment is back before it is asked for the last time.
      if (silentTimes < silentAsks) setTimeout(renew, silentMs).unref();
      else await onSilent(sessionId, { hostId: holder, epoch: browser.epoch });
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
    /** Offers every new frame that the viewer may see until the end, beginning with the one that is kept. */
    watch(sessionId: string, viewer: Viewer, ending: Ending): void {
      const watched = sessions.get(sessionId) ?? open(sessionId);
      watched.viewers.add(viewer);
      ending.onEnd(() => {
        watched.viewers.delete(viewer);
        if (watched.viewers.size === 0) watched.close();
      });
      if (watched.last) show(watched.last, viewer);
      watched.renew();
    },

    /** The browser of this session has changed: ask its host at once. */
    refresh: (sessionId: string) => sessions.get(sessionId)?.renew(),

    close() {
      for (const watched of sessions.values()) watched.close();
    },
  };
}
export type Watchers = ReturnType<typeof createWatchers>;

function show(frame: Encoded, { onFrame, isGuest }: Viewer): void {
  const bytes = isGuest ? frame.forGuests() : frame.forCallers();
  if (bytes) onFrame(bytes);
}

/** Each way only where somebody looks that way. */
function encode(frame: LiveFrame): Encoded {
  const bytesOf = (shown: LiveFrame) => encodeEvent({ type: 'frame', data: { type: 'frame', frame: shown } });
  let [forCallers, forGuests]: (Buffer | undefined)[] = [];
  return {
    forCallers() {
      forCallers ??= bytesOf(frame);
      return forCallers;
    },
    forGuests() {
      const shown = forGuests ? undefined : shareFrame(frame);
      if (shown) forGuests = bytesOf(shown);
      return forGuests;
    },
  };
}

/** While a person drives, what they see is nobody's who has only a share. */
function viewFrame({ header, image }: Frame, isDriven: boolean): LiveFrame {
  const { frame_id, session_id, seq, recorded_at, content_type, width, height, device_scale, page, url, title } =
    header;
  return {
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
    private: header.private || isDriven,
  };
}
