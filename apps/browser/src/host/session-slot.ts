// The slot of one session at this host: from the command that opens its browser until nothing of the browser is left.

import { type Bus, frame, type HostCommand, type SavedState } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Chromium } from '../chromium/launch.ts';
import { handledLater } from '../common/best-effort.ts';
import { nameOf } from '../common/error-name.ts';
import { failureOf, StepFailure } from '../common/failure.ts';
import type { Watch, Watchdog } from '../limits/watchdog.ts';
import type { FileLimits } from '../pages/file-transfer.ts';
import type { SessionReport } from '../session/page-reports.ts';
import { openSession, type Session, type SessionOptions, type SessionUsage } from '../session/session.ts';
import { createCheckpointSender } from './checkpoint-sender.ts';
import { readLastState, sendLastState } from './last-state.ts';
import type { HostCounters } from './metrics.ts';
import { sendReport } from './reports.ts';
import { openResponders, type Responders } from './responders.ts';

const readyMs = 2000;
const answerMs = 1000;

export type OpenCommand = Extract<HostCommand, { type: 'open' }>;

export type SessionSlot = {
  epoch(): number;
  session: Promise<Session>;
  usage(): SessionUsage;
  isEnding(): boolean;
  /** Ends the browser for an agent with this newer epoch. Resolves with the last state, where it can be had. */
  close(epoch: number): Promise<SavedState | undefined>;
  /** Ends the browser because the host ends, and sends the last state to the agents, where a lease and the time allow it. */
  leave(): Promise<void>;
  /** Ends the browser at once. */
  end(why: string): Promise<void>;
};

type Options = {
  bus: Bus;
  log: Log;
  hostId: string;
  command: OpenCommand;
  /** Takes a browser that no session has used. */
  take: () => Promise<Chromium>;
  walls: Watchdog;
  /** The most pages that the session may have open. */
  maxPages: number;
  /** Whether this host may act now. */
  isHeld: () => boolean;
  /** Aborted when the host itself ends. */
  signal: AbortSignal;
  /** Called when nothing of the browser is left. */
  onFree: () => void;
  fileLimits?: FileLimits;
  open?: typeof openSession;
  counters?: HostCounters | undefined;
};

/** `closing`: its last state is read. `ending`: its browser ends, and nothing is reported any more. */
type Phase = 'opening' | 'open' | 'closing' | 'ending' | 'ended';

/** How far the slot is, and what it has started so far. */
type SlotState = {
  phase: Phase;
  /** Stays after the end, for its epoch. */
  session?: Session;
  browser?: Pick<Chromium, 'kill'>;
  monitor?: Watch;
  responders?: Responders;
  /** Ends what has been started so far. */
  stop: () => Promise<void>;
};

export function openSlot(options: Options): SessionSlot {
  const { bus, log, hostId, command, isHeld, signal, onFree, counters } = options;
  const { session_id } = command;
  const to = { host_id: hostId, session_id };
  const state: SlotState = { phase: 'opening', stop: async () => {} };
  let closing: Promise<SavedState | undefined> | undefined;
  let ending: Promise<void> | undefined;
  const epoch = () => state.session?.epoch() ?? command.epoch;
  const frames = bus.publishNewest(frame, to);
  const checkpoints = createCheckpointSender({ bus, to, epoch, isHeld, log });
  const send = (report: SessionReport) =>
    void sendReport(bus, to, { ...report, session_id, epoch: epoch() }, { log, signal });

  async function endOnce(why: string): Promise<void> {
    state.phase = 'ending';
    state.monitor?.close();
    frames.close();
    checkpoints.close();
    // Commands in hand are answered as the session closes.
    const answered = state.responders?.close({ timeoutMs: answerMs });
    await stopNow();
    // Opening fails by itself when its browser is gone, or has only now something to stop.
    await begun.catch(() => undefined);
    await Promise.all([stopNow(), answered, state.responders?.close()]);
    state.phase = 'ended';
    onFree();
    log.info({ session_id, why }, 'session ended');
  }
  const stopNow = () =>
    state.stop().catch((error) => log.warn({ session_id, kind: nameOf(error) }, 'the browser did not end cleanly'));
  function end(why: string): Promise<void> {
    ending ??= endOnce(why);
    return ending;
  }

  /** The last state, unless there is no session, or no browser to read it from any more. */
  async function closeWith(why: string, lastState: (session: Session) => Promise<SavedState | undefined>) {
    const { session } = state;
    const canRead = session && !hasEnded(state);
    if (!hasEnded(state)) state.phase = 'closing';
    const saved = canRead ? await lastState(session) : undefined;
    await end(why);
    return saved;
  }

  const events = createEvents(state, { sessionId: session_id, log, counters, send, end });
  const onFrame: SessionOptions['onFrame'] = (one) => {
    counters?.frame();
    frames.put(one);
  };
  const begun = begin(state, options, { ...events, onFrame, onCheckpoint: checkpoints.put });
  const session = begun.catch(async (error) => {
    log.warn({ session_id, reason: failureOf(error).failure, kind: nameOf(error) }, 'the session could not be opened');
    await end('could not open');
    throw new StepFailure('crashed', 'the browser could not be started', { cause: error });
  });
  // The agent that asked for it is told; it may not be waiting any more.
  handledLater(session);

  return {
    epoch,
    session,
    usage: () => state.session?.usage() ?? { pages: 0, isWatched: false, idleMs: 0 },
    isEnding: () => isEnding(state),
    close(newer) {
      closing ??= closeWith('closed', (from) =>
        readLastState({ session: from, sessionId: session_id, epoch: newer, log, signal }),
      );
      return closing;
    },
    async leave() {
      if (!isHeld()) return end('the host ends');
      closing ??= closeWith('the host ends', (from) =>
        sendLastState({ session: from, sessionId: session_id, checkpoints, log }),
      );
      await closing;
    },
    end,
  };
}

const hasEnded = ({ phase }: SlotState) => phase === 'ending' || phase === 'ended';
const isEnding = (state: SlotState) => state.phase === 'closing' || hasEnded(state);

type SessionEvents = Pick<SessionOptions, 'onFrame' | 'onReport' | 'onCheckpoint' | 'onCut' | 'onGone'>;

type EventOptions = {
  sessionId: string;
  log: Log;
  counters: HostCounters | undefined;
  send: (report: SessionReport) => void;
  end: (why: string) => Promise<void>;
};

/** Passes reports on to the agents until the slot ends. A lost browser, or a limit that is fatal, ends the slot. */
function createEvents(state: SlotState, { sessionId, log, counters, send, end }: EventOptions) {
  return {
    onCut: (cut) => log.warn({ session_id: sessionId, ...cut }, 'only part of the state is saved'),
    onGone() {
      if (hasEnded(state)) return;
      send({ type: 'crashed', what: 'browser', url: null });
      void end('browser gone');
    },
    onReport(report) {
      if (hasEnded(state)) return;
      send(report);
      if (report.type !== 'wall') return;
      counters?.limitHit(report);
      const { wall, message, is_ended } = report;
      log.warn({ session_id: sessionId, wall, reason: message, is_ended }, 'session hit a limit');
      if (!is_ended) return;
      void end(`wall: ${wall}`);
      // Asked to close by itself, the browser would take more and more until it has.
      state.browser?.kill();
    },
  } satisfies Partial<SessionEvents>;
}

/** Takes a browser, opens the session in it, and answers its commands. Fails where the slot ended meanwhile. */
async function begin(state: SlotState, options: Options, events: SessionEvents): Promise<Session> {
  const { bus, hostId, command, take, walls, maxPages, isHeld, fileLimits, open = openSession } = options;
  const { session_id } = command;
  const chromium = await take();
  state.stop = chromium.close;
  if (hasEnded(state)) throw endedWhileOpening();
  state.browser = chromium;
  const isShown = () => state.session?.isShown() ?? false;
  const monitor = walls.watch({ ...chromium, isShown }, (hit) => events.onReport({ type: 'wall', ...hit }));
  state.monitor = monitor;
  chromium.guard?.listen({ onSlowed: monitor.yieldNow });
  const session = await open({
    ...command,
    ...events,
    sessionId: session_id,
    isPerson: command.is_person,
    chromium,
    fileLimits,
    maxPages,
    isHeld,
    onBurst: monitor.yieldNow,
    onLoad: monitor.lookCloser,
  });
  state.session = session;
  state.stop = session.close;
  if (hasEnded(state)) throw endedWhileOpening();
  state.phase = 'open';
  const to = { host_id: hostId, session_id };
  const responders = openResponders({ bus, to, session, isHeld, isEnding: () => isEnding(state) });
  state.responders = responders;
  await responders.ready({ timeoutMs: readyMs });
  return session;
}

const endedWhileOpening = () => new Error('the slot was ended while it was opening');
