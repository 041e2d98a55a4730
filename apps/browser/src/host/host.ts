// This host: answers its commands, launches browsers ahead, and ends everything in order.

import { type Bus, type HostCommand, type HostReply, type HostStatus, hostCommand } from '@pilothouse/bus';
import { createIdleMemory, type Log } from '@pilothouse/process';
import { type LaunchSettings, launchChromium } from '../chromium/launch.ts';
import { createPool } from '../chromium/pool.ts';
import { createUsers } from '../chromium/unix-users.ts';
import { startDeadline, within } from '../common/deadline.ts';
import { failureOf, noLease, StepFailure } from '../common/failure.ts';
import type { SessionLimits } from '../limits/limits.ts';
import { createWatchdog } from '../limits/watchdog.ts';
import type { FileLimits } from '../pages/file-transfer.ts';
import type { openSession } from '../session/session.ts';
import { makeReady } from '../state/restore.ts';
import { countLaunch, type HostCounters } from './metrics.ts';
import { openSlot } from './session-slot.ts';
import { createSlots } from './slots.ts';

const launchMs = 15_000;
const readyMs = 10_000;
/** After this long without a session, the next one is probably not about to come. */
export const idleMemoryAfterMs = 5000;
/** The usual size of a session: browsers are prepared with it. */
const usualViewport = { width: 1280, height: 720 };

export type Host = {
  status(): HostStatus;
  /** Launches browsers ahead, where some are missing. */
  fill(): void;
  /** Ends the browsers of sessions that another host has under newer epochs. */
  endOlder(sessions: { session_id: string; epoch: number }[]): void;
  /** Ends every browser at once. The host itself goes on, and may open new ones. */
  endAll(): Promise<void>;
  /** Sends the state of every session to the agents, and ends. It needs the lease for that. */
  close(): Promise<void>;
};

type Options = {
  bus: Bus;
  log: Log;
  hostId: string;
  capacity: number;
  /** How many browsers are launched ahead. */
  warm: number;
  chromium: Pick<LaunchSettings, 'path' | 'hasSandbox' | 'hasWebgl' | 'hidesProcesses' | 'guard'>;
  /** The folder for the files of the browsers. */
  folder: string;
  /** The first of the users that the browsers run as, one each; undefined where this process is not root. */
  firstUid: number | undefined;
  /** Whether this host may act now. */
  isHeld: () => boolean;
  /** How much of the machine each session may take. */
  limits: SessionLimits;
  fileLimits?: FileLimits;
  openSession?: typeof openSession;
  counters?: HostCounters;
};

/** More than can run at a time: a user whose last processes are still ending is not given to another browser. */
export const usersOf = ({ capacity, warm }: { capacity: number; warm: number }) => capacity + 2 * warm;

export function createHost(options: Options): Host {
  const { bus, log, hostId, capacity, warm, chromium, folder, firstUid, isHeld, limits, fileLimits, counters } =
    options;
  const closed = new AbortController();
  const { signal } = closed;
  /** It opens no session any more. */
  let isClosing = false;
  const users = createUsers({ firstUid, count: usersOf({ capacity, warm }) });
  const walls = createWatchdog({ limits, log });
  const idleMemory = createIdleMemory({ afterMs: idleMemoryAfterMs });
  const slots = createSlots({
    capacity,
    isHeld,
    openSlot(command, onFree) {
      if (isClosing) throw new StepFailure('full', 'this host ends');
      const { take } = pool;
      idleMemory.cancel();
      log.info({ session_id: command.session_id, epoch: command.epoch }, 'opening a session');
      const shared = { bus, log, hostId, walls, maxPages: limits.pages, isHeld, signal, fileLimits, counters };
      return openSlot({ ...shared, command, take, onFree, open: options.openSession });
    },
    onFree() {
      if (slots.count() === 0) idleMemory.start();
      pool.fill();
    },
  });
  const pool = createPool({
    launch: () => {
      const onRefused = counters?.refusedRequest;
      return countLaunch(
        launchChromium({ ...chromium, parent: folder, users, timeoutMs: launchMs, onRefused }),
        counters,
      );
    },
    // A browser that lost one of its processes may never answer.
    prepare: (launched) => within(startDeadline(readyMs, signal), makeReady(launched, usualViewport)),
    size: warm,
    // Browsers launched ahead must never take the room of sessions.
    room: () => (isHeld() ? capacity - slots.count() : 0),
    log,
    onTake: counters?.tookBrowser,
  });

  async function answer(command: HostCommand): Promise<HostReply> {
    if (command.type === 'status') return { ok: true, status: status() };
    // A browser that is to end needs no lease for that.
    if (command.type === 'close') return slots.close(command);
    if (!isHeld()) throw noLease();
    await slots.open(command);
    return { ok: true };
  }

  function status(): HostStatus {
    return { capacity, warm: pool.count(), has_own_users: firstUid !== undefined, sessions: slots.status() };
  }

  const endAll = async () => {
    await Promise.all([pool.drain(), ...slots.all().map((slot) => slot.end('host ends all'))]);
  };
  const responder = bus.respond(hostCommand, { host_id: hostId }, (command) => answer(command).catch(failedReply));

  return {
    status,
    fill: pool.fill,
    endOlder: (sessions) => sessions.forEach(slots.endOlder),
    endAll,
    async close() {
      isClosing = true;
      // From here on no browser is launched for the slots that become free.
      const drained = pool.close();
      // Agents ask meanwhile whether it is there, and give up the steps of a host that does not answer.
      await Promise.all(slots.all().map((slot) => slot.leave()));
      await responder.close({ timeoutMs: 1000 });
      closed.abort();
      await Promise.all([drained, endAll()]);
      walls.close();
      idleMemory.cancel();
    },
  };
}

function failedReply(error: unknown): HostReply {
  const { failure, message } = failureOf(error);
  return { ok: false, failure, message, has_touched: false };
}
