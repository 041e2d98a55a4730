// Browsers launched ahead, so that opening a session need not wait for one. Each serves one session and is replaced.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@pilothouse/process';
import type { Chromium } from './chromium.ts';

/** Launching takes a core for a while; whoever was just served uses it first. */
const REFILL_MS = 1000;
/** One that takes longer to come is hardly well, and whoever asked has waited enough. */
const HURRY_MS = 3000;
const BACK_OFF_MS = 500;
const MAX_BACK_OFF_MS = 30_000;

export type Pool = {
  /** How many are ready. */
  count(): number;
  /** One that is ready, or else the next that will be. */
  take(): Promise<Chromium>;
  /** Launches what is missing, when there is room. Cheap to call often. */
  fill(): void;
  /** Ends those that wait. None is launched until the next `fill`. */
  drain(): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  /** For whoever cannot wait for one to be made ready: with nothing but itself. */
  launch: () => Promise<Chromium>;
  /** Makes ready what was launched ahead. */
  prepare: (chromium: Chromium) => Promise<Chromium>;
  size: number;
  /** How many browsers the host has room for beside those that are in use. */
  room: () => number;
  log: Log;
  refillMs?: number;
};

type Warm = { chromium: Promise<Chromium>; isReady: boolean };

export function createPool({ launch, prepare, size, room, log, refillMs = REFILL_MS }: Options): Pool {
  const waiting = new Set<Warm>();
  /** Ending, but not gone yet. */
  const leaving = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let isClosed = false;

  function end(chromium: Chromium): Promise<void> {
    const gone = chromium
      .close()
      .catch((error) => log.warn({ kind: nameOf(error) }, 'a waiting browser did not end cleanly'))
      .finally(() => leaving.delete(gone));
    leaving.add(gone);
    return gone;
  }

  async function make(): Promise<Chromium> {
    const chromium = await launch();
    return prepare(chromium).catch(async (error) => {
      await end(chromium);
      throw error;
    });
  }

  function add(): void {
    const warm: Warm = { chromium: make(), isReady: false };
    waiting.add(warm);
    warm.chromium.then(
      (chromium) => {
        failures = 0;
        warm.isReady = true;
        chromium.browser.once('disconnected', () => {
          // Not ours any more once it was taken.
          if (!waiting.delete(warm)) return;
          log.warn('a waiting browser died');
          void end(chromium);
          later(refillMs);
        });
      },
      (error) => {
        failures += 1;
        log.warn({ kind: nameOf(error), failures }, 'could not launch a browser ahead');
        if (waiting.delete(warm)) later(Math.min(MAX_BACK_OFF_MS, BACK_OFF_MS * 2 ** failures));
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
    await Promise.all(all.map(({ chromium }) => chromium.then(end, () => undefined)));
    await Promise.all(leaving);
  }

  return {
    count: () => [...waiting].filter(({ isReady }) => isReady).length,
    async take() {
      const [next] = [...waiting].sort((a, b) => Number(b.isReady) - Number(a.isReady));
      if (!next) return launch();
      waiting.delete(next);
      later(refillMs);
      const coming = next.chromium.catch(() => undefined);
      const chromium = await Promise.race([coming, sleep(HURRY_MS, 'late' as const, { ref: false })]);
      if (chromium !== 'late' && chromium?.browser.isConnected()) return chromium;
      void coming.then((late) => late && end(late));
      return launch();
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

const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);
