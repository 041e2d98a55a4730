/** Numbers that a seed repeats (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** From 0 up to, not including, the end. */
    below: (end: number) => Math.floor(next() * end),
    between: (from: number, to: number) => from + next() * (to - from),
    is: (probability: number) => next() < probability,
    pick: <T>(values: readonly T[]): T => {
      const value = values[Math.floor(next() * values.length)];
      if (value === undefined) throw new RangeError('nothing to pick from');
      return value;
    },
  };
}
export type Random = ReturnType<typeof createRandom>;
