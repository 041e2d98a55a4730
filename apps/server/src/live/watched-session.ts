// One session that has viewers at this server: asks its host for frames, and shows each viewer what it may see.

import { type Bus, type Frame, frame } from '@pilothouse/bus';
import { type BrowserHold, createSilence, type HostClient } from '@pilothouse/fleet';
import type { Store } from '@pilothouse/store';
import { createVariants, type FrameVariants } from './frame-variants.ts';
import { createViewFollower, type ViewViewer } from './view-follower.ts';
import type { Driver } from './withheld.ts';

export type FrameViewer = ViewViewer & { onFrame: (bytes: Buffer) => void };
export type BrowserRow = Awaited<ReturnType<Store['browsers']['of']>>;
type Options = {
  bus: Bus;
  hosts: HostClient;
  /** Reads where the browser is. Each read has a number, because an older one may end later. */
  readBrowser: () => Promise<{ browser: BrowserRow; read: number }>;
  /** Whether the session still has viewers here. */
  isOpen: () => boolean;
  /** The host does not answer. */
  onSilent: (hold: BrowserHold) => void;
  onError: (error: unknown) => void;
};
/** Why the viewer was shown no picture last; undefined if it was shown one. */
type ViewerState = { withheldFor?: string };

export const renewMs = 500;
/** Before an agent is asked whether the host is gone: the agent has more patience. */
const silenceOptions = { attempts: 3, everyMs: 150 };
/** Several renewals may be lost before the host stops sending. */
const watchForMs = 4000;
/** Between two reads that only frames of an unknown epoch ask for: a host that makes up epochs costs no more than this. */
const betweenReadsMs = 100;

export function watchSession(sessionId: string, options: Options) {
  const { bus, readBrowser, isOpen, onError } = options;
  const view = createViewFollower({ sessionId, hosts: options.hosts });
  const viewers = createViewers();
  let browser: BrowserRow;
  let driver: Driver | null = null;
  let lastRead = 0;
  /** The newest epoch for which the driver was read. */
  let epochRead = 0;
  /** The last frame that came from the host: what it sent since is asked for again. */
  let seen: string | null = null;
  /** A frame of a newer epoch than the database had, until the next read. */
  let unconfirmed: { message: Frame; from: { host_id: string } } | undefined;
  // Many viewers that come, or events that ask for it, cause one renewal.
  const renewal = createImmediate(() => {
    if (isOpen()) readAndAsk().catch(onError);
  });
  const confirm = atMostEvery(betweenReadsMs, renewal.request);
  const requestFrames = createFrameRequest(sessionId, { ...options, renew: renewal.request });
  const askHost = () => requestFrames(browser, { isDriven: driver !== null, seen });

  async function readAndAsk(): Promise<void> {
    const { browser: found, read } = await readBrowser();
    update(found, read);
    await askHost();
  }

  function take(message: Frame, from: { host_id: string }): void {
    // Any host may publish frames of any session on its own subject; only the holder of the browser is believed.
    if (!browser || from.host_id !== holderOf(browser)) return;
    const { epoch } = message.header;
    seen = message.header.frame_id;
    // The driver is newer than the last read, or no driver at all: the database knows.
    unconfirmed = epoch > browser.epoch ? { message, from } : undefined;
    if (unconfirmed) return void confirm();
    // The first private frame of a driver may come before we have read who drives.
    if (message.header.private && epoch > Math.max(epochRead, driver?.epoch ?? 0)) {
      epochRead = epoch;
      renewal.request();
    }
    viewers.show(createVariants(message, () => driver));
  }

  function update(found: BrowserRow, read: number): void {
    if (read < lastRead) return;
    lastRead = read;
    browser = found;
    const driverBefore = driver;
    driver = found?.driver ?? null;
    view.update(holderOf(found), driver);
    if (unconfirmed && found && unconfirmed.message.header.epoch <= found.epoch)
      take(unconfirmed.message, unconfirmed.from);
    // A new driver may see the last frame.
    if (driver && driver.epoch !== driverBefore?.epoch) viewers.showAgain();
  }

  const frames = bus.subscribeNewest(frame, { session_id: sessionId }, take);

  return {
    renew: renewal.request,
    update,
    askHost,
    /** Shows the last frame at once, or asks for one. */
    add(viewer: FrameViewer): void {
      view.add(viewer);
      if (!viewers.add(viewer)) renewal.request();
    },
    remove(viewer: FrameViewer): void {
      viewers.remove(viewer);
      view.remove(viewer);
    },
    hasViewers: viewers.isWatched,
    close() {
      renewal.cancel();
      view.close();
      frames.close();
    },
  };
}
export type WatchedSession = ReturnType<typeof watchSession>;

/** The viewers of a session, and the last frame, which each of them sees as it may. */
function createViewers() {
  const viewers = new Map<FrameViewer, ViewerState>();
  let last: FrameVariants | undefined;
  const showAgain = () => {
    for (const [viewer, state] of viewers) if (last) show(last, viewer, state);
  };
  return {
    show(frame: FrameVariants): void {
      last = frame;
      showAgain();
    },
    showAgain,
    /** False if there is no frame yet to show. */
    add(viewer: FrameViewer): boolean {
      const state: ViewerState = {};
      viewers.set(viewer, state);
      if (last) show(last, viewer, state);
      return last !== undefined;
    },
    remove: (viewer: FrameViewer) => viewers.delete(viewer),
    isWatched: () => viewers.size > 0,
  };
}

/** Does the work once in the next turn of the event loop, however many requests there are. */
function createImmediate(work: () => void) {
  let pending: NodeJS.Immediate | undefined;
  return {
    request(): void {
      pending ??= setImmediate(() => {
        pending = undefined;
        work();
      });
    },
    cancel: () => clearImmediate(pending),
  };
}

function atMostEvery(ms: number, work: () => void): () => void {
  let doneAt = 0;
  return () => {
    if (performance.now() - doneAt < ms) return;
    doneAt = performance.now();
    work();
  };
}

/** Asks the host for frames. A host that is silent is asked again after a renewal, and then reported to agents. */
function createFrameRequest(
  sessionId: string,
  { hosts, isOpen, onSilent, renew }: Pick<Options, 'hosts' | 'isOpen' | 'onSilent'> & { renew: () => void },
) {
  const silence = createSilence(silenceOptions);
  return async (browser: BrowserRow, about: { isDriven: boolean; seen: string | null }): Promise<void> => {
    const hostId = holderOf(browser);
    if (!hostId || !browser) return;
    const hold = { hostId, sessionId, epoch: browser.epoch };
    const result = await hosts.watch(hold, { forMs: watchForMs, ...about, timeoutMs: renewMs });
    // A host that is still opening the browser does not listen for it yet.
    if (browser.browser !== 'live') return silence.reset();
    const verdict = silence.count(result);
    if (!isOpen()) return;
    if (verdict === 'silent') setTimeout(renew, silence.everyMs).unref();
    if (verdict !== 'gone') return;
    // Counted again from here: no agent may have heard it, or the agent may have reached the host.
    silence.reset();
    onSilent(hold);
  };
}

/** Only a host with a lease is believed. */
const holderOf = (browser: BrowserRow) => (browser?.is_live ? browser.host_id : null);

/** A viewer is told once that frames are withheld, and why: their number would show how fast a person types. */
function show(frame: FrameVariants, viewer: FrameViewer, state: ViewerState): void {
  const { userId, onFrame } = viewer;
  const withheldFor = frame.isFor(viewer) ? undefined : frame.reason;
  if (withheldFor === undefined) onFrame(userId === undefined ? frame.forGuests() : frame.forCallers());
  else if (state.withheldFor !== withheldFor) onFrame(frame.withheld());
  state.withheldFor = withheldFor;
}
