// All sessions of this host: each command meets its browser here.

import {
  type Bus,
  frame,
  type HostCommand,
  type HostReply,
  hostCommand,
  type Responder,
  sessionCommand,
} from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import { launchChromium } from './chromium.ts';
import { failureOf, StepFailure } from './failure.ts';
import { failed, openSession, type Session } from './session.ts';

const LAUNCH_MS = 15_000;
const READY_MS = 2000;

export type Host = {
  sessions(): { session_id: string; epoch: number }[];
  /** Ends every browser, at once. The host itself goes on, and may open new ones. */
  endAll(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  bus: Bus;
  log: Log;
  hostId: string;
  capacity: number;
  chromiumPath: string;
  /** Where the browsers keep their files. */
  folder: string;
  /** The first of the users the browsers run as, one each; undefined where we are not root. */
  firstUid: number | undefined;
  /** Whether this host may act now. */
  isHeld: () => boolean;
};

type OpenCommand = Extract<HostCommand, { type: 'open' }>;
type CloseCommand = Extract<HostCommand, { type: 'close' }>;
/** A place for one browser, from the wish to open it until it is gone. */
type Place = {
  slot: number;
  epoch(): number;
  session: Promise<Session>;
  isEnding(): boolean;
  end(why: string): Promise<void>;
};

export function createHost(options: Options): Host {
  const { bus, log, hostId, capacity, chromiumPath, folder, firstUid, isHeld } = options;
  const places = new Map<string, Place>();

  async function answer(command: HostCommand): Promise<HostReply> {
    if (!isHeld()) throw noLease();
    if (command.type === 'status') throw new StepFailure('unsupported', 'this host does not tell its state');
    if (command.type === 'close') await close(command);
    else await open(command);
    return { ok: true };
  }

  async function close({ session_id, epoch }: CloseCommand): Promise<void> {
    const place = places.get(session_id);
    // Not there is what was asked for.
    if (!place) return;
    if (epoch < place.epoch()) throw stale();
    await place.end('closed');
  }

  async function open(command: OpenCommand): Promise<void> {
    let place = places.get(command.session_id);
    while (place?.isEnding()) {
      await place.end('closed');
      place = places.get(command.session_id);
    }
    place ??= takePlace(command);
    const session = await place.session;
    if (!session.takeEpoch(command.epoch)) throw stale();
  }

  function takePlace(command: OpenCommand): Place {
    if (places.size >= capacity) throw new StepFailure('full', 'this host holds as many sessions as it can');
    const { session_id, epoch } = command;
    const taken = new Set([...places.values()].map(({ slot }) => slot));
    const slot = Array.from({ length: capacity }, (_, index) => index).findIndex((index) => !taken.has(index));
    const place = occupy(command, slot, () => places.get(session_id) === place && places.delete(session_id));
    places.set(session_id, place);
    log.info({ session_id, epoch }, 'opening');
    return place;
  }

  function occupy(command: OpenCommand, slot: number, free: () => void): Place {
    const { session_id, epoch } = command;
    const to = { host_id: hostId, session_id };
    const frames = bus.publishNewest(frame, to);
    let opened: Session | undefined;
    let responder: Responder | undefined;
    let ending: Promise<void> | undefined;
    /** Ends what has been started so far. */
    let stop = async () => {};

    async function begin(): Promise<Session> {
      const uid = firstUid === undefined ? undefined : firstUid + slot;
      const chromium = await launchChromium({ path: chromiumPath, parent: folder, uid, timeoutMs: LAUNCH_MS });
      stop = chromium.close;
      if (ending) throw new Error('ended while it was opening');
      const onGone = () => void end('browser gone');
      const session = await openSession({ ...command, sessionId: session_id, chromium, onFrame: frames.put, onGone });
      opened = session;
      stop = session.close;
      if (ending) throw new Error('ended while it was opening');
      responder = bus.respond(sessionCommand, to, async (message) =>
        isHeld() ? session.answer(message) : failed(noLease()),
      );
      await responder.ready({ timeoutMs: READY_MS });
      return session;
    }
    const begun = begin();
    const session = begun.catch(async (error) => {
      log.warn({ session_id, kind: nameOf(error) }, 'could not open');
      await end('could not open');
      throw new StepFailure('crashed', 'the browser could not be started', { cause: error });
    });
    // Whoever asked to open it is told; nobody may be waiting any more.
    session.catch(() => undefined);

    async function endOnce(why: string): Promise<void> {
      frames.close();
      // What is in hand is answered as the session closes.
      const answered = responder?.close({ timeoutMs: 1000 });
      await stopNow();
      // Opening ends by itself when its browser is gone, or is only now far enough to be ended.
      await begun.catch(() => undefined);
      await Promise.all([stopNow(), answered, responder?.close()]);
      free();
      log.info({ session_id, why }, 'ended');
    }
    const stopNow = () => stop().catch((error) => log.warn({ session_id, kind: nameOf(error) }, 'did not end cleanly'));
    function end(why: string): Promise<void> {
      ending ??= endOnce(why);
      return ending;
    }
    return { slot, epoch: () => opened?.epoch() ?? epoch, session, isEnding: () => ending !== undefined, end };
  }

  const endAll = async () => {
    await Promise.all([...places.values()].map((place) => place.end('host ends all')));
  };
  const responder = bus.respond(hostCommand, { host_id: hostId }, (command) =>
    answer(command).catch((error) => {
      const { failure, message } = failureOf(error);
      return { ok: false, failure, message };
    }),
  );

  return {
    sessions: () => [...places].map(([session_id, place]) => ({ session_id, epoch: place.epoch() })),
    endAll,
    async close() {
      await responder.close({ timeoutMs: 1000 });
      await endAll();
    },
  };
}

const noLease = () => new StepFailure('no_lease', 'no agent has renewed the lease of this host');
const stale = () => new StepFailure('stale_epoch', 'somebody else drives now');
const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);
