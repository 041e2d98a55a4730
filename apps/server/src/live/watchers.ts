import { type Bus, type Frame, frame, sessionCommand } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { encodeFrame } from './encoded.ts';
import type { Ending } from './hub.ts';
import { sharePicture } from './share.view.ts';
import { type Driver, isDriverOf, type Picture, withholdPicture } from './withheld.ts';

type Options = {
  store: Store;
  bus: Bus;
  log: Log;
  /** Nobody answers for a browser that somebody watches. */
  onSilent: (sessionId: string, held: { hostId: string; epoch: number }) => Promise<void>;
};
/** Who watches: a guest has no id. */
type Viewer = { userId: string | undefined; onFrame: (bytes: Buffer) => void };
type Place = Awaited<ReturnType<Store['browsers']['of']>>;
type Watched = {
  viewers: Map<Viewer, Shown>;
  last: Encoded | undefined;
  /** Where its browser is, of a look with this number. */
  hear(place: Place, look: number): void;
  askHost(): Promise<void>;
  renew(): void;
  close(): void;
};
/** What a viewer was shown last. */
type Shown = { isWithheld: boolean };
type Encoded = {
  isPrivate: boolean;
  /** Whether they may see it although it is private. */
  isFor(userId: string | undefined): boolean;
  forCallers(): Buffer;
  forGuests(): Buffer;
  withheld(): Buffer;
};

/** So often that whoever watches is told within a second of the death of a host. */
const renewMs = 500;
/** Each so many times, where the browsers are is asked of the database: what changes there is also said by events. */
const looksEvery = 2;
/** Several renewals may be lost before the host stops sending. */
const watchForMs = 4000;
/** How often, and how far apart, a host that nobody hears is asked before its browser counts as gone. */
const silentAsks = 3;
const silentMs = 150;

/**
 * Frames for whoever watches a session: asked of the host while somebody does, encoded once for
 * each way in which somebody may see them, the newest kept.
 */
export function createWatchers({ store, bus, log, onSilent }: Options) {
  const sessions = new Map<string, Watched>();
  let looks = 0;
  let turns = 0;

  function open(sessionId: string): Watched {
    let place: Place;
    let driver: Driver | null = null;
    let heard = 0;
    /** The newest epoch of which it was asked who drives. */
    let askedFor = 0;
    let silentTimes = 0;
    let soon: NodeJS.Immediate | undefined;
    const frames = bus.subscribeNewest(frame, { session_id: sessionId }, (message, from) => {
      // Any host may speak of any session on its own subject; only the one that holds it is believed.
      if (from.host_id !== holderOf(place)) return;
      const { epoch } = message.header;
      // One that is only now to be driven may come before we have heard by whom.
      if (message.header.private && epoch > Math.max(askedFor, driver?.epoch ?? 0)) {
        askedFor = epoch;
        renew();
      }
      watched.last = encode(viewPicture(message, epoch === driver?.epoch), epoch, () => driver);
      for (const [viewer, shown] of watched.viewers) show(watched.last, viewer, shown);
    });
    async function look(): Promise<void> {
      const number = ++looks;
      watched.hear(await store.browsers.of(sessionId), number);
      await watched.askHost();
    }
    /** Many who come, or hear of the same event, ask once. */
    function renew(): void {
      soon ??= setImmediate(() => {
        soon = undefined;
        if (sessions.get(sessionId) === watched) look().catch((error) => warn(error, sessionId));
      });
    }
    const watched: Watched = {
      viewers: new Map(),
      last: undefined,
      hear(browser, number) {
        if (number < heard) return;
        heard = number;
        place = browser;
        const driverBefore = driver;
        driver = browser?.driver ?? null;
        // Who has just taken the wheel sees what there is.
        if (driver && driver.epoch !== driverBefore?.epoch && watched.last)
          for (const [viewer, shown] of watched.viewers) show(watched.last, viewer, shown);
      },
      async askHost() {
        const browser = place;
        const holder = holderOf(browser);
        if (!holder || !browser) return;
        const to = { host_id: holder, session_id: sessionId };
        const watch = { type: 'watch', for_ms: watchForMs, is_driven: driver !== null } as const;
        const asked = await bus.request(sessionCommand, to, watch, { timeoutMs: renewMs });
        // One that is only being opened is not heard yet.
        const isSilent = !asked.ok && asked.reason === 'no_responders' && browser.browser === 'live';
        silentTimes = isSilent ? silentTimes + 1 : 0;
        if (!isSilent || sessions.get(sessionId) !== watched) return;
        // One that lost the bus for a moment is back before it is asked for the last time.
        if (silentTimes < silentAsks) setTimeout(renew, silentMs).unref();
        else await onSilent(sessionId, { hostId: holder, epoch: browser.epoch });
      },
      renew,
      close() {
        clearImmediate(soon);
        frames.close();
        sessions.delete(sessionId);
      },
    };
    sessions.set(sessionId, watched);
    return watched;
  }

  /** One question for all that is watched here; hosts are asked to go on whether it is answered or not. */
  async function renewAll(): Promise<void> {
    if (sessions.size === 0) return;
    turns += 1;
    if (turns % looksEvery === 0) {
      const number = ++looks;
      const places = await store.browsers.ofAll([...sessions.keys()]).catch((error) => warn(error));
      if (places) for (const [sessionId, watched] of sessions) watched.hear(places.get(sessionId), number);
    }
    for (const [sessionId, watched] of sessions) watched.askHost().catch((error) => warn(error, sessionId));
  }
  const warn = (error: unknown, sessionId?: string): void =>
    log.warn({ err: error, session_id: sessionId }, 'could not ask for frames');
  const timer = setInterval(renewAll, renewMs);

  return {
    /** Offers every new frame that the viewer may see until the end, beginning with the one that is kept. */
    watch(sessionId: string, viewer: Viewer, ending: Ending): void {
      const watched = sessions.get(sessionId) ?? open(sessionId);
      const shown = { isWithheld: false };
      watched.viewers.set(viewer, shown);
      ending.onEnd(() => {
        watched.viewers.delete(viewer);
        if (watched.viewers.size === 0) watched.close();
      });
      if (watched.last) show(watched.last, viewer, shown);
      else watched.renew();
    },

    /** The browser of this session has changed: ask its host at once. */
    refresh: (sessionId: string) => sessions.get(sessionId)?.renew(),

    close() {
      clearInterval(timer);
      for (const watched of sessions.values()) watched.close();
    },
  };
}
export type Watchers = ReturnType<typeof createWatchers>;

/** Who is believed: a host with a lease. */
const holderOf = (place: Place) => (place?.is_live ? place.host_id : null);

/** That something is withheld is said once: how often it changes would tell how fast somebody types. */
function show(frame: Encoded, { userId, onFrame }: Viewer, shown: Shown): void {
  const isWithheld = frame.isPrivate && !frame.isFor(userId);
  if (!isWithheld) onFrame(userId === undefined ? frame.forGuests() : frame.forCallers());
  else if (!shown.isWithheld) onFrame(frame.withheld());
  shown.isWithheld = isWithheld;
}

/** Each way only where somebody looks that way. */
function encode(picture: Picture, epoch: number, driver: () => Driver | null): Encoded {
  const once = (shown: () => Picture) => {
    let bytes: Buffer | undefined;
    return () => {
      bytes ??= encodeFrame(shown());
      return bytes;
    };
  };
  return {
    isPrivate: picture.view.private,
    isFor: (userId) => isDriverOf(driver(), epoch, userId),
    forCallers: once(() => picture),
    forGuests: once(() => sharePicture(picture)),
    withheld: once(() => withholdPicture(picture.view)),
  };
}

/** While a person drives, what they see is theirs; a host may not have heard of it. */
function viewPicture({ header, image }: Frame, isDriven: boolean): Picture {
  const { frame_id, session_id, seq, recorded_at, content_type, width, height, device_scale, page, url, title } =
    header;
  const view = {
    frame_id,
    session_id,
    task_id: null,
    seq,
    recorded_at,
    content_type,
    width,
    height,
    device_scale,
    route: { session: session_id, page, frame: null, url, title },
    private: header.private || isDriven,
  };
  return { view, image };
}
