// Browsers launched ahead, so that opening a session need not wait for one. Each serves one session and is replaced.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@pilothouse/process';
import { bestEffort } from '../common/best-effort.ts';
import { errorFields } from '../common/failure.ts';
import type { Chromium } from './launch.ts';

/** Launching takes a core for a while; the session that was just served uses it first. */
const defaultRefillMs = 1000;
/** A browser that takes longer is probably unhealthy: the caller gets another. */
const hurryMs = 3000;
const backOffMs = 500;
const maxBackOffMs = 30_000;

export type Pool = {
  /** How many are ready. */
  count(): number;
  /** A browser that is ready, or else the next that will be. */
  take(): Promise<Chromium>;
  /** Launches the missing browsers, when there is room. Cheap to call often. */
  fill(): void;
  /** Ends the waiting browsers. None is launched until the next `fill`. */
  drain(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  /** A browser that is not prepared, for a caller that cannot wait for more. */
  launch: () => Promise<Chromium>;
  /** Prepares a browser that was launched ahead. */
  prepare: (chromium: Chromium) => Promise<Chromium>;
  size: number;
  /** How many browsers the host has room for beside those in use. */
  room: () => number;
  log: Log;
  /** A caller got a browser that was launched ahead, or one that was launched for it. */
  onTake?: (from: 'pool' | 'launch') => void;
  refillMs?: number;
};

type WarmBrowser = { chromium: Promise<Chromium>; isReady: boolean };

export function createPool({ launch, prepare, size, room, log, onTake, refillMs = defaultRefillMs }: Options): Pool {
  const waiting = new Set<WarmBrowser>();
  const endings = createEndings(log);
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isClosed = false;

  function add(): void {
    const warm: WarmBrowser = { chromium: launchReady(launch, prepare, endings), isReady: false };
    waiting.add(warm);
    warm.chromium.then(
      (chromium) => {
        failures = 0;
        warm.isReady = true;
        chromium.browser.once('disconnected', () => {
          // Once it was taken, its session sees to it.
          if (!waiting.delete(warm)) return;
          log.warn('a waiting browser died');
          void endings.end(chromium);
          later(refillMs);
        });
      },
      (error) => {
        failures += 1;
        log.warn({ ...errorFields(error), failures }, 'could not launch a browser ahead');
        if (waiting.delete(warm)) later(Math.min(maxBackOffMs, backOffMs * 2 ** failures));
      },
    );
  }

  function later(ms: number): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(fillNow, ms);
  }

  function fillNow(): void {
    timer = undefined;
    for (let missing = Math.min(size, room()) - waiting.size; missing > 0; missing -= 1) add();
  }

  async function drain(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const all = [...waiting];
    waiting.clear();
    await Promise.all(
      all.map(({ chromium }) =>
        bestEffort('launch a browser that is not needed any more', chromium).then((one) => one && endings.end(one)),
      ),
    );
    await endings.settled();
  }

  return {
    count: () => [...waiting].filter(({ isReady }) => isReady).length,
    async take() {
      const [next] = [...waiting].sort((a, b) => Number(b.isReady) - Number(a.isReady));
      if (next) {
        waiting.delete(next);
        later(refillMs);
      }
      const warm = next && (await soonOrEnded(next, endings));
      onTake?.(warm ? 'pool' : 'launch');
      return warm ?? launch();
    },
    fill() {
      if (timer === undefined && size > 0) later(0);
    },
    drain,
    async close() {
      isClosed = true;
      await drain();
    },
  };
}

async function launchReady(
  launch: Options['launch'],
  prepare: Options['prepare'],
  endings: Endings,
): Promise<Chromium> {
  const chromium = await launch();
  return prepare(chromium).catch(async (error) => {
    await endings.end(chromium);
    throw error;
  });
}

/** The browser, if it works and comes soon; otherwise it is ended when it comes. */
async function soonOrEnded({ chromium }: WarmBrowser, endings: Endings): Promise<Chromium | undefined> {
  const coming = bestEffort('launch a browser ahead', chromium);
  const soon = await Promise.race([coming, sleep(hurryMs, 'late' as const, { ref: false })]);
  if (soon !== 'late' && soon?.browser.isConnected()) return soon;
  void coming.then((late) => late && endings.end(late));
  return undefined;
}

type Endings = ReturnType<typeof createEndings>;

/** Ends browsers, and knows which of them are not gone yet. */
function createEndings(log: Log) {
  const leaving = new Set<Promise<void>>();
  return {
    end(chromium: Chromium): Promise<void> {
      const gone = chromium
        .close()
        .catch((error) => log.warn(errorFields(error), 'a waiting browser did not end cleanly'))
        .finally(() => leaving.delete(gone));
      leaving.add(gone);
      return gone;
    },
    async settled(): Promise<void> {
      await Promise.all(leaving);
    },
  };
}
