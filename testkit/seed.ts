// The seed of random trials: the same in every run, so that a failure can be played again; another one only by option.

import { randomInt } from 'node:crypto';

const fixed = 1_973;

/** `random`, a number, or nothing: then it is the fixed one. */
export function seedFrom(wanted: string | undefined): number {
  if (wanted === undefined || wanted === '') return fixed;
  if (wanted === 'random') return randomInt(2 ** 31);
  const seed = Number(wanted);
  if (!Number.isInteger(seed) || seed < 0) throw new Error(`not a seed: ${wanted} (a whole number, or "random")`);
  return seed;
}

/** Of the tests of this process. Print it, also where nothing fails. */
export const testSeed = seedFrom(process.env.CHAOS_SEED);
