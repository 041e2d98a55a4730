// What the scripted models cost, so that costs are compared with the books. Computed apart from the agent, and from whole numbers.
import type { Tokens } from './mind.ts';

/** Hundredths of a dollar for a million tokens. */
const cents = { input: 300, output: 1500, cached: 30, cacheWritten: 375 };

/** The setting of prices for the models of these names. */
export const pricesOf = (names: readonly string[]): string =>
  names
    .map((name) => `${name}=${[cents.input, cents.output, cents.cached, cents.cacheWritten].map(dollars).join(':')}`)
    .join(',');
const dollars = (amount: number): string => String(amount / 100);

/** Of one call, in millionths of a dollar, rounded up as the agent does. */
export function costOf({ input, cached, cacheWritten, output }: Tokens): number {
  const fresh = input - cached - cacheWritten;
  const total = fresh * cents.input + cached * cents.cached + cacheWritten * cents.cacheWritten + output * cents.output;
  return Math.ceil(total / 100);
}
