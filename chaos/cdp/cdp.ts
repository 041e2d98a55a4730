// Programs over the DevTools protocol, part by part: taken over from, hostile, and cut off by kills. Each has a stack of its own.

import type { Stack } from '../../testkit/stack/stack.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { newSeed, privateName, values } from '../options.ts';
import { attackByCommands } from './hostile.ts';
import { killWhileDriven } from './kills.ts';
import { programNames, takeFromPrograms } from './takeovers.ts';

type Part = (stack: Stack, seed: number) => Promise<{ wrong: string[] }>;

/** What an option says, or the size of a full or of a small run. */
const size = (given: string | undefined, full: number, small: number) => Number(given ?? (values.small ? small : full));

const parts: Record<string, Part> = {
  takeovers: (stack, seed) =>
    takeFromPrograms({
      stack,
      seed,
      takeovers: size(values.takeovers, 1000, 8),
      crashes: Number(values.crashes ?? 0),
      names: programNames.filter((name) => values.program?.includes(name) ?? true),
    }),
  hostile: (stack) => attackByCommands({ stack, isSmall: values.small }),
  kills: (stack, seed) => killWhileDriven({ stack, seed, kills: size(values.kills, 50, 3) }),
};

export async function troublePrograms() {
  const seed = newSeed();
  const figures: Record<string, object> = {};
  let isGood = true;
  for (const [name, run] of Object.entries(parts).filter(([one]) => values.part?.includes(one) ?? true)) {
    const { wrong, ...met } = await withStack(privateName, (stack) => run(stack, seed));
    figures[name] = { ...met, wrong: wrong.length, first_wrong: wrong.slice(0, 20) };
    isGood &&= wrong.length === 0;
    console.error(JSON.stringify({ [name]: figures[name] }));
  }
  return { isGood: isGood && Object.keys(figures).length > 0, figures: { seed, ...figures } };
}
