// The programs that are connected to this server: each gets the browser of its session as soon as there is one, and the wheel
// as soon as no person drives and no task is open. Which of them drives is decided by the database alone.

import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@pilothouse/bus';
import type { Policy } from '@pilothouse/contract';
import { type HostClient, holdOf } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import { newId, type Store } from '@pilothouse/store';
import type { WebSocket } from 'ws';
import { createProgramLedger } from './program-ledger.ts';
import { programRulesOf } from './program-rules.ts';
import { closeCodes, createProgramSocket, type ProgramSocket } from './program-socket.ts';
import { followSessionNews } from './session-news.ts';

/**
 * When the database is asked for the wheel without news of the session: soon while something is missing (a browser, a host that
 * answers), now and then while another drives, and rarely while the program does. An announcement may be lost.
 */
const usualLookMs = { unsettled: 250, waiting: 1000, driving: 5000 };
type LookMs = typeof usualLookMs;
const seenMs = 1000;
const takeMs = 2500;
/** For programs to agree to the end when the server stops, and for what they did to be written down. */
const agreeMs = 1000;
const closeMs = 4000;
const closeLookMs = 50;
const disconnected = 'the task of the program was cancelled, or its connection was given up';
/** An agent opens a browser for a session that has none. */
const browserMs = 30_000;

export type NewProgram = {
  sessionId: string;
  userId: string;
  whileDriven: 'fail' | 'wait';
  /** A person wrote what the program does. */
  isGiven: boolean;
  socket: WebSocket;
  /** What the socket writes to. */
  wire: Pick<Duplex, 'cork' | 'uncork'>;
};
type Options = {
  store: Store;
  bus: Bus;
  hosts: Pick<HostClient, 'take' | 'openProgram' | 'look'>;
  log: Log;
  /** What the installation demands of every task. */
  installation?: Policy;
  lookMs?: LookMs;
};
type Connection = { sessionId: string; socket: ProgramSocket; isGiven: boolean; isStored: boolean };

export function createProgramConnections(options: Options) {
  const { store, bus, hosts, log, lookMs = usualLookMs } = options;
  const open = new Map<string, Connection>();
  const leaving = createLeaving({ store, log });
  const closed = new AbortController();
  const drive = createDrive({ store, hosts });

  const standing = createStanding(options, open);
  const seen = setInterval(standing.refresh, seenMs);

  /** The browser, then the wheel whenever it is free, until the program leaves. */
  async function serve(id: string, { sessionId, socket }: Connection, signal: AbortSignal): Promise<void> {
    const giveUpAt = performance.now() + browserMs;
    const news = followSessionNews(bus, sessionId, signal);
    let isAttached = false;
    while (!signal.aborted) {
      news.begin();
      const state = await store.programs.stateOf(sessionId);
      // The wheel first: a program that finds it free never hears that another drives.
      const wheel = state?.hostId ? await drive.ifFree(sessionId, state, id) : 'unsettled';
      if (!isAttached && wheel !== 'unsettled' && state?.hostId) isAttached = await socket.attach(state.hostId);
      if (!isAttached && performance.now() > giveUpAt) return socket.close(closeCodes.tryAgain, 'no browser is free');
      await news.wait(lookMs[isAttached ? wheel : 'unsettled']);
    }
  }

  return {
    /** `onEnd` is called once, when the program is gone. */
    async add({ sessionId, userId, whileDriven, isGiven, socket, wire }: NewProgram, onEnd: () => void): Promise<void> {
      const id = newId();
      const gone = new AbortController();
      const signal = AbortSignal.any([gone.signal, closed.signal]);
      const ledger = createProgramLedger({
        ...{ store, hosts, log, program: { id, sessionId, userId } },
        onDisconnected: () => program.close(closeCodes.goingAway, disconnected),
      });
      const program = createProgramSocket({
        ...{ bus, hosts, socket, wire, connectionId: id, sessionId, whileDriven },
        onReport: ledger.take,
        onOver: () => leaving.add(id, ledger.end()),
      });
      const connection = { sessionId, socket: program, isGiven, isStored: false };
      open.set(id, connection);
      socket.once('close', () => {
        open.delete(id);
        gone.abort();
        onEnd();
        if (![...open.values()].some((one) => one.sessionId === sessionId)) drive.forget(sessionId);
      });
      if (closed.signal.aborted) return program.terminate();
      await store.programs.connected(id, sessionId, userId);
      connection.isStored = true;
      await standing.setRules([id]);
      serve(id, connection, signal).catch((error) => {
        log.warn({ err: error, session_id: sessionId }, 'a program lost its connection');
        program.close(closeCodes.tryAgain, 'try again');
      });
    },

    /** Resolves when what the programs did is written down. */
    async close(): Promise<void> {
      clearInterval(seen);
      closed.abort();
      for (const { socket } of open.values()) socket.close(closeCodes.goingAway, 'the server stops');
      await waitWhile(() => open.size > 0, agreeMs);
      // A program that stands still agrees to nothing, and its connection would keep this server from ending.
      for (const { socket } of open.values()) socket.terminate();
      await leaving.settled(() => open.size > 0);
    },
  };
}

/** Says which programs are here, and what those that still count are held to: rules of users change while they are connected. */
function createStanding({ store, log, installation = {} }: Options, open: ReadonlyMap<string, Connection>) {
  async function setRules(ids: readonly string[]): Promise<void> {
    for (const one of await store.programs.standing(ids)) {
      const connection = open.get(one.id);
      connection?.socket.setRules(programRulesOf(installation, one, connection.isGiven));
    }
  }
  return {
    setRules,
    refresh(): void {
      const stored = [...open].filter(([, { isStored }]) => isStored);
      if (stored.length === 0) return;
      store.programs
        .seen(stored.map(([id]) => id))
        .then((known) => {
          for (const [id, { socket }] of stored) if (!known.has(id)) socket.close(closeCodes.goingAway, disconnected);
          return setRules([...known]);
        })
        .catch((error) => log.warn({ err: error }, 'could not say which programs are here'));
    },
  };
}

/** Programs that have left, until their tasks have ended. */
function createLeaving({ store, log }: Pick<Options, 'store' | 'log'>) {
  const leaving = new Set<Promise<void>>();
  return {
    /** The row of a connection stays until its task has ended, so that no agent takes the task for lost. */
    add(id: string, ended: Promise<void>): void {
      const done = ended
        .then(() => store.programs.disconnected(id))
        .catch(() => log.debug({ connection_id: id }, 'a program was not written off'))
        .finally(() => leaving.delete(done));
      leaving.add(done);
    },

    /** Resolves when all have left, or after some time. */
    settled: (hasMore: () => boolean) => waitWhile(() => hasMore() || leaving.size > 0, closeMs),
  };
}

async function waitWhile(isSo: () => boolean, ms: number): Promise<void> {
  const giveUpAt = performance.now() + ms;
  while (isSo() && performance.now() < giveUpAt) await sleep(closeLookMs, undefined, { ref: false });
}

type State = NonNullable<Awaited<ReturnType<Store['programs']['stateOf']>>>;

/** Gives the programs of a session the wheel, where it is free, and tells the host of it, where it was not told by us. */
function createDrive({ store, hosts }: Pick<Options, 'store' | 'hosts'>) {
  const told = new Map<string, number>();
  return {
    async ifFree(sessionId: string, { isDriving, isTaken, epoch }: State, programId: string): Promise<keyof LookMs> {
      if (isDriving && told.get(sessionId) === epoch) return 'driving';
      if (!isDriving && isTaken) return 'waiting';
      const drive = await store.change(sessionId, (tx) => store.programs.drive(tx, sessionId, programId));
      if (!drive) return 'unsettled';
      const result = await hosts.take(holdOf(drive), { isProgram: true, timeoutMs: takeMs });
      if (result.type !== 'done') return 'unsettled';
      told.set(sessionId, drive.epoch);
      return 'driving';
    },

    /** When the last program of a session has left this server. */
    forget(sessionId: string): void {
      told.delete(sessionId);
    },
  };
}
