export type Figures = { count: number; p50: number; p90: number; min: number; max: number };

/** What a list of measured times says, in milliseconds with one decimal. */
export function figuresOf(times: number[]): Figures {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN);
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), min: at(0), max: at(1) };
}

export const round = (value: number): number => Math.round(value * 10) / 10;

/** How many times the bare engine's median ours is. */
export const ratio = (ours: Figures, bare: Figures): number => Math.round((ours.p50 / bare.p50) * 100) / 100;
