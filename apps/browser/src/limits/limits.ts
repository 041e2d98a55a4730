// How much a session may take of the machine. A session that takes more is made to yield, or is ended.

import type { Wall } from '@pilothouse/bus';

export type SessionLimits = {
  memoryBytes: number;
  processes: number;
  threads: number;
  diskBytes: number;
  pages: number;
  /** In cores: a session that takes more yields to all others. */
  cpuCores: number;
  /** How long it may take more before it is ended. */
  cpuMs: number;
};

/** A limit that a session ran into, and whether its browser is ended for it. */
export type LimitHit = { wall: Wall; message: string; is_ended: boolean };

const mb = 1024 * 1024;
/** Chromium has about 10 in each process, and 30 in its first. */
const threadsPerProcess = 20;

type LimitSettings = {
  memoryMb: number;
  processes: number;
  diskMb: number;
  pages: number;
  cpuPercent: number;
  cpuSecs: number;
};

export const limitsOf = ({
  memoryMb,
  processes,
  diskMb,
  pages,
  cpuPercent,
  cpuSecs,
}: LimitSettings): SessionLimits => ({
  memoryBytes: memoryMb * mb,
  processes,
  threads: processes * threadsPerProcess,
  diskBytes: diskMb * mb,
  pages,
  cpuCores: cpuPercent / 100,
  cpuMs: cpuSecs * 1000,
});
