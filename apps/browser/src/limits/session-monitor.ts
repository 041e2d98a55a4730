// Judges what one session takes of the machine: memory, processes, processor time and disk. A session that takes too much
// processor time yields to the others first.

import type { Wall } from '@pilothouse/bus';
import { createCpuUse } from './cpu-use.ts';
import { diskBytesUnder } from './disk-use.ts';
import type { LimitHit, SessionLimits } from './limits.ts';
import { createLowPriority } from './priority.ts';
import type { ResourceUse } from './process-table.ts';

/** The usual time between two samples. */
export const sampleMs = 500;
/** While a session may reach its limit before the next sample but one, or has just begun something. */
export const urgentSampleMs = 100;
const burstMs = 1000;
/** A session that would reach its memory limit within this time yields at once: no ordinary page grows like that. */
const rapidMs = 2000;
const mb = 1024 * 1024;

/** Of the whole machine, since the sample before. */
export type MachineSample = { elapsedMs: number; isMachineFull: boolean };

export type SessionMonitor = {
  /** The limit that the newest sample hits, if any. */
  judge(taken: ResourceUse, sample: MachineSample): LimitHit | undefined;
  /** The session need not yield any more. */
  relax(): void;
  lookCloser(): void;
  yieldNow(): void;
  isUrgent(): boolean;
  measureDisk(): Promise<LimitHit | undefined>;
};

type Watched = { folder: string; isShown?: () => boolean };

export function createSessionMonitor(
  { folder, isShown = () => false }: Watched,
  limits: SessionLimits,
): SessionMonitor {
  const burning = createCpuUse(limits);
  const yielding = createLowPriority();
  let isYielding = false;
  let pids: number[] = [];
  let memory: { bytes: number; perMs: number } | undefined;
  let urgentUntil = 0;
  /** Processor time since it was judged last. */
  let unjudged = { cpuMs: 0, elapsedMs: 0, fullMs: 0 };

  function relax(): void {
    if (isYielding) yielding.undo(pids);
    isYielding = false;
  }

  function lookCloser(): void {
    urgentUntil = performance.now() + burstMs;
  }

  function yieldNow(): void {
    // Then each sample applies it to new processes, so that calling this often costs nothing.
    if (isYielding) return;
    lookCloser();
    burning.begin();
    isYielding = true;
    yielding.apply(pids);
  }

  /** Judged at the usual interval, however often it is sampled: every page is busy while it loads. */
  function newsOfCpu({ cpuMs }: ResourceUse, { elapsedMs, isMachineFull }: MachineSample) {
    unjudged.cpuMs += cpuMs;
    unjudged.elapsedMs += elapsedMs;
    unjudged.fullMs += isMachineFull ? elapsedMs : 0;
    if (unjudged.elapsedMs < sampleMs - urgentSampleMs / 2) return undefined;
    const judged = unjudged;
    unjudged = { cpuMs: 0, elapsedMs: 0, fullMs: 0 };
    const isFull = judged.fullMs > judged.elapsedMs / 2;
    // Pictures cost more than a small share. Viewers and drivers would get none for seconds, again and again.
    return burning.add(judged.cpuMs, judged.elapsedMs, isFull && !isShown());
  }

  function judgeCpu(taken: ResourceUse, sample: MachineSample): LimitHit | undefined {
    const news = newsOfCpu(taken, sample);
    if (news === 'yield') isYielding = true;
    if (news === 'calm') relax();
    // At every sample: the session may have started new processes.
    if (isYielding) yielding.apply(pids);
    if (news === 'told') return { wall: 'cpu', message: 'busy without a rest; it yields to others', is_ended: false };
    if (news === 'over') return over('cpu', `busy for ${Math.round(limits.cpuMs / 1000)} s without a rest`);
    return undefined;
  }

  return {
    judge(taken, sample) {
      const { memoryBytes } = taken;
      pids = taken.pids;
      // The first sample says how much it has, not how fast it grew.
      const grownBytes = Math.max(0, memoryBytes - (memory?.bytes ?? memoryBytes));
      memory = { bytes: memoryBytes, perMs: grownBytes / Math.max(1, sample.elapsedMs) };
      const beyond = hitOfSize(taken, limits);
      if (beyond) return beyond;
      if (memory.perMs * rapidMs > limits.memoryBytes) yieldNow();
      return judgeCpu(taken, sample);
    },
    relax,
    lookCloser,
    yieldNow,
    isUrgent: () =>
      performance.now() < urgentUntil ||
      (memory !== undefined && memory.bytes + 2 * sampleMs * memory.perMs > limits.memoryBytes),
    async measureDisk() {
      const bytes = await diskBytesUnder(folder, limits.diskBytes);
      return bytes > limits.diskBytes ? over('disk', `over ${inMb(limits.diskBytes)} MB on disk`) : undefined;
    },
  };
}

function hitOfSize({ memoryBytes, processes, threads }: ResourceUse, limits: SessionLimits): LimitHit | undefined {
  if (memoryBytes > limits.memoryBytes)
    return over('memory', `${inMb(memoryBytes)} MB of memory; ${inMb(limits.memoryBytes)} are allowed`);
  if (processes <= limits.processes && threads <= limits.threads) return undefined;
  const allowed = `${limits.processes} and ${limits.threads} are allowed`;
  return over('processes', `${processes} processes with ${threads} threads; ${allowed}`);
}

const over = (wall: Wall, message: string): LimitHit => ({ wall, message, is_ended: true });
const inMb = (bytes: number) => Math.round(bytes / mb);
