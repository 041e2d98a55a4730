// All sessions of this host: each command meets its browser here.

import { type Bus, type HostCommand, type HostReply, type HostStatus, hostCommand } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import { type LaunchSettings, launchChromium } from './chromium.ts';
import { makeReady } from './context.ts';
import { startDeadline, within } from './deadline.ts';
import { failureOf, noLease, StepFailure, stale } from './failure.ts';
import type { FileLimits } from './files.ts';
import { type OpenCommand, occupyPlace, type Place } from './place.ts';
import { createPool } from './pool.ts';
import { createRest } from './rest.ts';
import type { openSession } from './session.ts';
import { createUsers } from './users.ts';
import type { WallLimits } from './walls/limits.ts';
import { createWalls } from './walls/walls.ts';

const LAUNCH_MS = 15_000;
const READY_MS = 10_000;
/** So long without a session: the next one is not about to come. */
export const REST_MS = 5000;
/** The size of a session for which nobody chose another. */
const usualViewport = { width: 1280, height: 720 };

export type Host = {
  status(): HostStatus;
  /** Launches browsers ahead, where some are wanted and missing. */
  fill(): void;
  /** Ends every browser, at once. The host itself goes on, and may open new ones. */
  endAll(): Promise<void>;
  /** Hands over the state of every session, and ends. It needs the lease for that. */
  close(): Promise<void>;
};

type Options = {
  bus: Bus;
  log: Log;
  hostId: string;
  capacity: number;
  /** How many browsers are launched ahead. */
  warm: number;
  chromium: Pick<LaunchSettings, 'path' | 'hasSandbox' | 'guard'>;
  /** Where the browsers keep their files. */
  folder: string;
  /** The first of the users the browsers run as, one each; undefined where we are not root. */
  firstUid: number | undefined;
  /** Whether this host may act now. */
  isHeld: () => boolean;
  /** How much of the machine each session may take. */
  limits: WallLimits;
  fileLimits?: FileLimits;
  openSession?: typeof openSession;
};

type CloseCommand = Extract<HostCommand, { type: 'close' }>;

/** More than can run at a time: one whose last processes are still ending is not handed on. */
export const usersOf = ({ capacity, warm }: { capacity: number; warm: number }) => capacity + 2 * warm;

export function createHost(options: Options): Host {
  const { bus, log, hostId, capacity, warm, chromium, folder, firstUid, isHeld, limits } = options;
  const places = new Map<string, Place>();
  const closed = new AbortController();
  const users = createUsers({ firstUid, count: usersOf({ capacity, warm }) });
  const walls = createWalls({ limits, log });
  const rest = createRest({ afterMs: REST_MS });
  const pool = createPool({
    launch: () => launchChromium({ ...chromium, parent: folder, users, timeoutMs: LAUNCH_MS }),
    // A browser that lost one of its processes may never answer.
    prepare: (launched) => within(startDeadline(READY_MS, closed.signal), makeReady(launched, usualViewport)),
    size: warm,
    // Those who wait must never take the room of those who ask.
    room: () => (isHeld() ? capacity - places.size : 0),
    log,
  });

  async function answer(command: HostCommand): Promise<HostReply> {
    if (command.type === 'status') return { ok: true, status: status() };
    if (!isHeld()) throw noLease();
    if (command.type === 'close') return close(command);
    await open(command);
    return { ok: true };
  }

  async function close({ session_id, epoch }: CloseCommand): Promise<HostReply> {
    const place = places.get(session_id);
    // Not there is what was asked for.
    if (!place) return { ok: true };
    if (epoch < place.epoch()) throw stale();
    const state = await place.close(epoch);
    return state ? { ok: true, state } : { ok: true };
  }

  async function open(command: OpenCommand): Promise<void> {
    let place = places.get(command.session_id);
    while (place?.isEnding()) {
      await place.close(command.epoch);
      place = places.get(command.session_id);
    }
    place ??= takePlace(command);
    const session = await place.session;
    try {
      if ((await session.take(command.epoch)) === 'stale') throw stale();
    } catch (error) {
      // One that nobody could have been given is ended by now: it makes room for a new one.
      if (places.get(command.session_id) === place && !place.isEnding()) throw error;
      if (!isHeld()) throw noLease();
      return open(command);
    }
    // One that was here already may have been opened for another task.
    session.setReach(command.reach);
    if (session.isCrashed()) await session.repair();
  }

  function takePlace(command: OpenCommand): Place {
    if (places.size >= capacity) throw new StepFailure('full', 'this host holds as many sessions as it can');
    const { session_id, epoch } = command;
    const onFree = () => {
      if (places.get(session_id) === place) places.delete(session_id);
      if (places.size === 0) rest.begin();
      pool.fill();
    };
    const { signal } = closed;
    const place = occupyPlace({
      bus,
      log,
      hostId,
      command,
      take: pool.take,
      walls,
      maxPages: limits.pages,
      isHeld,
      signal,
      onFree,
      fileLimits: options.fileLimits,
      open: options.openSession,
    });
    places.set(session_id, place);
    rest.end();
    log.info({ session_id, epoch }, 'opening');
    return place;
  }

  function status(): HostStatus {
    return {
      capacity,
      warm: pool.count(),
      has_own_users: firstUid !== undefined,
      sessions: [...places].map(([session_id, place]) => {
        const { pages, isWatched, idleMs } = place.usage();
        return { session_id, epoch: place.epoch(), pages, is_watched: isWatched, idle_ms: idleMs };
      }),
    };
  }

  const endAll = async () => {
    await Promise.all([pool.drain(), ...[...places.values()].map((place) => place.end('host ends all'))]);
  };
  const responder = bus.respond(hostCommand, { host_id: hostId }, (command) =>
    answer(command).catch((error) => {
      const { failure, message } = failureOf(error);
      return { ok: false, failure, message, has_touched: false };
    }),
  );

  return {
    status,
    fill: pool.fill,
    endAll,
    async close() {
      await responder.close({ timeoutMs: 1000 });
      // From here on none is launched for the places that become free.
      const drained = pool.close();
      await Promise.all([...places.values()].map((place) => place.leave()));
      closed.abort();
      await Promise.all([drained, endAll()]);
      walls.close();
      rest.end();
    },
  };
}
