/** How much a session may take of the machine. Whoever takes more is made to yield, or is ended. */
export type WallLimits = {
  memoryBytes: number;
  processes: number;
  threads: number;
  diskBytes: number;
  pages: number;
  /** In cores: a session that takes more yields to all others. */
  cpuCores: number;
  /** How long it may go on so before it is ended. */
  cpuMs: number;
};

const MB = 1024 * 1024;
/** Chromium has about 10 in each process, and 30 in its first. */
const THREADS_PER_PROCESS = 20;

type Given = {
  memoryMb: number;
  processes: number;
  diskMb: number;
  pages: number;
  cpuPercent: number;
  cpuSecs: number;
};

export const limitsOf = ({ memoryMb, processes, diskMb, pages, cpuPercent, cpuSecs }: Given): WallLimits => ({
  memoryBytes: memoryMb * MB,
  processes,
  threads: processes * THREADS_PER_PROCESS,
  diskBytes: diskMb * MB,
  pages,
  cpuCores: cpuPercent / 100,
  cpuMs: cpuSecs * 1000,
});
