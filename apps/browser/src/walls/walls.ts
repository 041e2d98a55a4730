// Watches what each session takes of the machine, and says when it is too much. Whoever asked ends it.

import type { Wall } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import { createBurning } from './burning.ts';
import { diskBytesUnder } from './disk.ts';
import type { WallLimits } from './limits.ts';
import { createFullness } from './machine.ts';
import { createYielding } from './priority.ts';
import { createProcessTable, type Owner, type Taken } from './processes.ts';

const SAMPLE_MS = 500;
/** While a session grows so that it would be over before the next sample but one, or has just begun something. */
const SOON_MS = 100;
const BURST_MS = 1000;
/** Who would have taken all it may in so little time yields before it has: nothing that people read grows like that. */
const RAPID_MS = 2000;
const DISK_MS = 5000;
const MB = 1024 * 1024;

export type Hit = { wall: Wall; message: string; is_ended: boolean };

type Watched = Owner & { folder: string };
export type Watch = {
  /** It has begun something new: for a moment nobody knows what that takes. */
  lookCloser(): void;
  /** What it does now costs much: it yields at once, before anybody has measured it, until it is calm. */
  yieldNow(): void;
  close(): void;
};

export type Walls = {
  /** Tells of each wall the browser runs into; after one that ends it, no more. */
  watch(browser: Watched, onHit: (hit: Hit) => void): Watch;
  close(): void;
};

/** Of all sessions at once. */
type Sampled = { elapsedMs: number; isMachineFull: boolean };

type Sentry = {
  /** What there is to tell by the newest sample. */
  judge(taken: Taken, sampled: Sampled): Hit | undefined;
  /** It need not yield any more. */
  relax(): void;
  lookCloser(): void;
  yieldNow(): void;
  isUrgent(): boolean;
  measureDisk(): Promise<Hit | undefined>;
  tell(hit: Hit | undefined): void;
};

export function createWalls({ limits, log }: { limits: WallLimits; log: Log }): Walls {
  const sentries = new Set<Sentry>();
  const table = createProcessTable<Sentry>();
  const isMachineFull = createFullness();
  let sampledAt = performance.now();
  let isClosed = false;

  function sample(): void {
    const now = performance.now();
    const sampled = { elapsedMs: now - sampledAt, isMachineFull: isMachineFull() };
    sampledAt = now;
    for (const [sentry, taken] of table.sample()) sentry.tell(sentry.judge(taken, sampled));
  }

  let timer: NodeJS.Timeout | undefined;
  let dueAt = 0;
  function sampleLater(): void {
    const isUrgent = [...sentries].some((sentry) => sentry.isUrgent());
    const inMs = isUrgent ? SOON_MS : SAMPLE_MS;
    dueAt = performance.now() + inMs;
    timer = setTimeout(() => {
      try {
        sample();
      } catch (error) {
        log.error({ kind: nameOf(error) }, 'the walls could not be watched');
      }
      if (!isClosed) sampleLater();
    }, inMs);
  }

  /** However often it is asked for, what is due soon is not put off. */
  function sampleSoon(): void {
    if (dueAt - performance.now() <= SOON_MS) return;
    clearTimeout(timer);
    sampleLater();
  }

  /** One after the other: however many sessions there are, the disk has one reader. */
  async function measureDisks(): Promise<void> {
    for (const sentry of [...sentries]) {
      if (isClosed) return;
      try {
        sentry.tell(await sentry.measureDisk());
      } catch (error) {
        log.error({ kind: nameOf(error) }, 'a disk could not be measured');
      }
    }
    if (!isClosed) diskTimer = setTimeout(() => void measureDisks(), DISK_MS);
  }

  sampleLater();
  let diskTimer = setTimeout(() => void measureDisks(), DISK_MS);

  return {
    watch(browser, onHit) {
      const forget = () => {
        table.remove(sentry);
        return sentries.delete(sentry);
      };
      const close = () => {
        // Also to end takes processor time, and one that yields might get none.
        if (forget()) sentry.relax();
      };
      const tell = (hit: Hit | undefined) => {
        if (!hit || !sentries.has(sentry)) return;
        if (hit.is_ended) {
          // The others wait for nothing of it, and to give back what it took is much work for the kernel.
          sentry.yieldNow();
          forget();
        }
        onHit(hit);
      };
      const sentry: Sentry = { ...createJudge(browser, limits), tell };
      sentries.add(sentry);
      table.add(sentry, browser);
      const soonAfter = (tell: () => void) => () => {
        if (!sentries.has(sentry)) return;
        tell();
        sampleSoon();
      };
      return { lookCloser: soonAfter(sentry.lookCloser), yieldNow: soonAfter(sentry.yieldNow), close };
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(diskTimer);
      sentries.clear();
    },
  };
}

function createJudge({ folder }: Watched, limits: WallLimits): Omit<Sentry, 'tell'> {
  const burning = createBurning(limits);
  const yielding = createYielding();
  let isYielding = false;
  let pids: number[] = [];
  let memory: { bytes: number; perMs: number } | undefined;
  let urgentUntil = 0;
  /** Of the processors, since they were judged last. */
  let unjudged = { cpuMs: 0, elapsedMs: 0, fullMs: 0 };

  function relax(): void {
    if (isYielding) yielding.undo(pids);
    isYielding = false;
  }

  function lookCloser(): void {
    urgentUntil = performance.now() + BURST_MS;
  }

  function yieldNow(): void {
    // Then each sample sees to it, and asking for it often costs nothing.
    if (isYielding) return;
    lookCloser();
    burning.begin();
    isYielding = true;
    yielding.apply(pids);
  }

  /** By the usual interval, however often it is sampled: every page is busy for the moment in which it loads. */
  function newsOfCpu({ cpuMs }: Taken, { elapsedMs, isMachineFull }: Sampled) {
    unjudged.cpuMs += cpuMs;
    unjudged.elapsedMs += elapsedMs;
    unjudged.fullMs += isMachineFull ? elapsedMs : 0;
    if (unjudged.elapsedMs < SAMPLE_MS - SOON_MS / 2) return undefined;
    const judged = unjudged;
    unjudged = { cpuMs: 0, elapsedMs: 0, fullMs: 0 };
    return burning.add(judged.cpuMs, judged.elapsedMs, judged.fullMs > judged.elapsedMs / 2);
  }

  function judgeCpu(taken: Taken, sampled: Sampled): Hit | undefined {
    const news = newsOfCpu(taken, sampled);
    if (news === 'yield') isYielding = true;
    if (news === 'calm') relax();
    // Again each time: it may have begun new processes.
    if (isYielding) yielding.apply(pids);
    if (news === 'told') return { wall: 'cpu', message: 'busy without a rest; it yields to others', is_ended: false };
    if (news === 'over') return over('cpu', `busy for ${Math.round(limits.cpuMs / 1000)} s without a rest`);
    return undefined;
  }

  return {
    judge(taken, sampled) {
      const { memoryBytes, processes, threads } = taken;
      pids = taken.pids;
      // What it has at first it did not take just now.
      const grownBytes = Math.max(0, memoryBytes - (memory?.bytes ?? memoryBytes));
      memory = { bytes: memoryBytes, perMs: grownBytes / Math.max(1, sampled.elapsedMs) };
      if (memoryBytes > limits.memoryBytes) {
        return over('memory', `${inMb(memoryBytes)} MB of memory; ${inMb(limits.memoryBytes)} are allowed`);
      }
      if (processes > limits.processes || threads > limits.threads) {
        const allowed = `${limits.processes} and ${limits.threads} are allowed`;
        return over('processes', `${processes} processes with ${threads} threads; ${allowed}`);
      }
      if (memory.perMs * RAPID_MS > limits.memoryBytes) yieldNow();
      return judgeCpu(taken, sampled);
    },
    relax,
    lookCloser,
    yieldNow,
    isUrgent: () =>
      performance.now() < urgentUntil ||
      (memory !== undefined && memory.bytes + 2 * SAMPLE_MS * memory.perMs > limits.memoryBytes),
    async measureDisk() {
      const bytes = await diskBytesUnder(folder, limits.diskBytes);
      return bytes > limits.diskBytes ? over('disk', `over ${inMb(limits.diskBytes)} MB on disk`) : undefined;
    },
  };
}

const over = (wall: Wall, message: string): Hit => ({ wall, message, is_ended: true });
const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);
const inMb = (bytes: number) => Math.round(bytes / MB);
