// Whether a session takes too much processor time: any may for a moment, none for long.

/** One that is now and then below is not calm: that it must be well below, and for a while. */
const calmPart = 0.5;
/** Where all processors are busy, no session gets what it asks for, so a smaller share counts as too much. */
const fullPart = 0.25;
const calmAfterMs = 3000;
/** Pages that load are busy for a moment, which is not reported. */
const tellMs = 5000;

export type CpuUse = {
  /** It is about to, and need not be measured first. */
  begin(): void;
  /** How much it took of how long, on a machine that had more to give or not. Tells what is news. */
  add(cpuMs: number, elapsedMs: number, isMachineFull: boolean): 'yield' | 'told' | 'over' | 'calm' | undefined;
};

type Limits = { cpuCores: number; cpuMs: number };

export function createCpuUse({ cpuCores, cpuMs: longestMs }: Limits): CpuUse {
  let burntMs = 0;
  let calmMs = 0;
  let isYielding = false;
  let isTold = false;

  const beginAfter = (elapsedMs: number) => {
    [isYielding, isTold, burntMs, calmMs] = [true, false, elapsedMs, 0];
  };

  return {
    begin: () => void (isYielding || beginAfter(0)),
    add(cpuMs, elapsedMs, isMachineFull) {
      const allowedMs = elapsedMs * cpuCores * (isMachineFull ? fullPart : 1);
      if (!isYielding) {
        if (cpuMs < allowedMs) return undefined;
        beginAfter(elapsedMs);
        return 'yield';
      }
      calmMs = cpuMs < allowedMs * calmPart ? calmMs + elapsedMs : 0;
      if (calmMs >= calmAfterMs) {
        isYielding = false;
        return 'calm';
      }
      burntMs += elapsedMs;
      if (burntMs >= longestMs) return 'over';
      if (isTold || burntMs < Math.min(tellMs, longestMs / 2)) return undefined;
      isTold = true;
      return 'told';
    },
  };
}
