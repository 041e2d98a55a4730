// A place for one session's browser: from the wish to open it until nothing of it is left.

import {
  type Bus,
  fileCommand,
  frame,
  type HostCommand,
  type Responder,
  type SavedState,
  sessionCommand,
} from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Chromium } from './chromium.ts';
import { startDeadline, within } from './deadline.ts';
import { failureOf, noLease, StepFailure } from './failure.ts';
import type { FileLimits } from './files.ts';
import { createCheckpoints, sendReport } from './reporting.ts';
import { failed, openSession, type Session, type Told, type Usage } from './session.ts';
import type { Walls, Watch } from './walls/walls.ts';

const READY_MS = 2000;
/** A state that takes longer is not waited for: the last one that was kept has to do. */
const SAVE_MS = 3000;

export type OpenCommand = Extract<HostCommand, { type: 'open' }>;

export type Place = {
  epoch(): number;
  session: Promise<Session>;
  usage(): Usage;
  isEnding(): boolean;
  /** Ends the browser for whoever asks by a newer epoch, and answers what brings it back, where that can be had. */
  close(epoch: number): Promise<SavedState | undefined>;
  /** Ends the browser because the host ends, and hands over what brings it back, where that can be had in time. */
  leave(): Promise<void>;
  /** Ends the browser at once. */
  end(why: string): Promise<void>;
};

type Options = {
  bus: Bus;
  log: Log;
  hostId: string;
  command: OpenCommand;
  /** A browser that nobody has used. */
  take: () => Promise<Chromium>;
  walls: Walls;
  /** The most pages it may have open. */
  maxPages: number;
  /** Whether this host may act now. */
  isHeld: () => boolean;
  /** Aborted when the host itself ends. */
  signal: AbortSignal;
  /** Nothing of it is left. */
  onFree: () => void;
  fileLimits?: FileLimits;
  open?: typeof openSession;
};

export function occupyPlace(options: Options): Place {
  const { bus, log, hostId, command, take, walls, maxPages, isHeld, signal, onFree, fileLimits } = options;
  const open = options.open ?? openSession;
  const { session_id } = command;
  const to = { host_id: hostId, session_id };
  const frames = bus.publishNewest(frame, to);
  let opened: Session | undefined;
  const responders: Responder[] = [];
  let closing: Promise<SavedState | undefined> | undefined;
  let ending: Promise<void> | undefined;
  /** Ends what has been started so far. */
  let stop = async () => {};
  /** Its browser, once there is one. */
  let browser: Pick<Chromium, 'kill'> | undefined;
  let watch: Watch | undefined;
  const epoch = () => opened?.epoch() ?? command.epoch;
  const isEnding = () => closing !== undefined || ending !== undefined;
  const checkpoints = createCheckpoints({ bus, to, epoch, isHeld, log });

  function onGone(): void {
    if (ending) return;
    const told = { type: 'crashed', session_id, epoch: epoch(), what: 'browser', url: null } as const;
    void sendReport(bus, to, told, { log, signal });
    void end('browser gone');
  }

  function tell(told: Told): void {
    if (ending) return;
    void sendReport(bus, to, { ...told, session_id, epoch: epoch() }, { log, signal });
    if (told.type !== 'wall') return;
    log.warn({ session_id, wall: told.wall, reason: told.message, is_ended: told.is_ended }, 'ran into a wall');
    if (!told.is_ended) return;
    void end(`wall: ${told.wall}`);
    // Asked to go by itself, it would take more and more until it does.
    browser?.kill();
  }

  async function begin(): Promise<Session> {
    const chromium = await take();
    stop = chromium.close;
    if (ending) throw new Error('ended while it was opening');
    browser = chromium;
    watch = walls.watch(chromium, (hit) => tell({ type: 'wall', ...hit }));
    chromium.guard?.listen({ onSlowed: watch.yieldNow });
    const session = await open({
      ...command,
      sessionId: session_id,
      isPerson: command.is_person,
      chromium,
      fileLimits,
      maxPages,
      isHeld,
      onFrame: frames.put,
      onGone,
      onReport: tell,
      onBurst: () => watch?.yieldNow(),
      onLoad: () => watch?.lookCloser(),
      onCheckpoint: checkpoints.put,
      onCut: (cut) => log.warn({ session_id, ...cut }, 'a state is kept in part'),
    });
    opened = session;
    stop = session.close;
    if (ending) throw new Error('ended while it was opening');
    const refusal = () => {
      if (!isHeld()) return failed(noLease());
      return isEnding() ? failed(new StepFailure('no_session', 'the browser is being closed')) : undefined;
    };
    responders.push(
      bus.respond(sessionCommand, to, async (message) => refusal() ?? session.answer(message)),
      bus.respond(fileCommand, to, async (message) => refusal() ?? session.files.answer(message)),
    );
    await Promise.all(responders.map((responder) => responder.ready({ timeoutMs: READY_MS })));
    return session;
  }
  const begun = begin();
  const session = begun.catch(async (error) => {
    log.warn({ session_id, reason: failureOf(error).failure, kind: nameOf(error) }, 'could not open');
    await end('could not open');
    throw new StepFailure('crashed', 'the browser could not be started', { cause: error });
  });
  // Whoever asked to open it is told; nobody may be waiting any more.
  session.catch(() => undefined);

  async function endOnce(why: string): Promise<void> {
    watch?.close();
    frames.close();
    checkpoints.close();
    // What is in hand is answered as the session closes.
    const answered = responders.map((responder) => responder.close({ timeoutMs: 1000 }));
    await stopNow();
    // Opening ends by itself when its browser is gone, or is only now far enough to be ended.
    await begun.catch(() => undefined);
    await Promise.all([stopNow(), ...answered, ...responders.map((responder) => responder.close())]);
    onFree();
    log.info({ session_id, why }, 'ended');
  }
  const stopNow = () => stop().catch((error) => log.warn({ session_id, kind: nameOf(error) }, 'did not end cleanly'));
  function end(why: string): Promise<void> {
    ending ??= endOnce(why);
    return ending;
  }

  async function closeOnce(newer: number): Promise<SavedState | undefined> {
    let state: SavedState | undefined;
    if (opened && !ending) {
      const deadline = startDeadline(SAVE_MS, signal);
      // Whoever drove is stopped first, or the state would be old before it is kept.
      const { take, save } = opened;
      state = await within(
        deadline,
        take(newer).then(() => save(deadline)),
      ).catch((error) => {
        log.warn({ session_id, kind: nameOf(error) }, 'closes without its state');
        return undefined;
      });
    }
    await end('closed');
    return state;
  }

  async function leaveOnce(): Promise<SavedState | undefined> {
    const deadline = startDeadline(SAVE_MS, new AbortController().signal);
    let state: SavedState | undefined;
    const keep = async (from: Session) => {
      state = await from.save(deadline);
      checkpoints.put(state);
      await checkpoints.rest();
    };
    if (opened && !ending)
      await within(deadline, keep(opened)).catch((error) =>
        log.warn({ session_id, kind: nameOf(error) }, 'ends, and its last state may not be kept'),
      );
    await end('the host ends');
    return state;
  }

  return {
    epoch,
    session,
    usage: () => opened?.usage() ?? { pages: 0, isWatched: false, idleMs: 0 },
    isEnding,
    close(newer) {
      closing ??= closeOnce(newer);
      return closing;
    },
    async leave() {
      closing ??= leaveOnce();
      await closing;
    },
    end,
  };
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);
