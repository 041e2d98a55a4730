// Whether a session burns processor time: for a moment anybody may, for long nobody.

/** One that is now and then below is not calm: that it must be well below, and for a while. */
const CALM_PART = 0.5;
/** Where all processors are busy nobody gets all it wants, so less counts as much. */
const FULL_PART = 0.25;
const CALM_MS = 3000;
/** Pages that load are busy for a moment; nobody needs to hear of that. */
const TELL_MS = 5000;

export type Burning = {
  /** It is about to, and need not be measured first. */
  begin(): void;
  /** How much it took of how long, on a machine that had more to give or not. Tells what is news. */
  add(cpuMs: number, elapsedMs: number, isMachineFull: boolean): 'yield' | 'told' | 'over' | 'calm' | undefined;
};

type Limits = { cpuCores: number; cpuMs: number };

export function createBurning({ cpuCores, cpuMs: longestMs }: Limits): Burning {
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
      const allowedMs = elapsedMs * cpuCores * (isMachineFull ? FULL_PART : 1);
      if (!isYielding) {
        if (cpuMs < allowedMs) return undefined;
        beginAfter(elapsedMs);
        return 'yield';
      }
      calmMs = cpuMs < allowedMs * CALM_PART ? calmMs + elapsedMs : 0;
      if (calmMs >= CALM_MS) {
        isYielding = false;
        return 'calm';
      }
      burntMs += elapsedMs;
      if (burntMs >= longestMs) return 'over';
      if (isTold || burntMs < Math.min(TELL_MS, longestMs / 2)) return undefined;
      isTold = true;
      return 'told';
    },
  };
}
