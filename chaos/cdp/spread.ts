// How long something took, often: the middle, the slow end and the slowest, in milliseconds.

import { round } from '../../testkit/percentiles.ts';

export function spreadOf(times: number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
