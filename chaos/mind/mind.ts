// Everything that can happen to a task while a model decides its steps, part by part, in one installation.

import { brokenBounds } from '../../testkit/evals/bounds.ts';
import { runEvals } from '../../testkit/evals/run.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { useUpBudgets } from './budgets.ts';
import { sufferFaults } from './faults.ts';
import { type House, withHouse } from './house.ts';
import { killWhileDeciding } from './kills.ts';
import { pressOnAndOn } from './long.ts';
import { cancelWhileThinking, takeTheWheel } from './thinking.ts';
import { sayWords } from './words.ts';

type Options = { stack: Stack; seed: number; isSmall: boolean; parts?: string[]; tasks?: number };
type Size = { seed: number; isSmall: boolean; tasks?: number };
type Part = (house: House, size: Size) => Promise<{ isGood: boolean; figures: object }>;

/** A small run shares its machine with other tests: it shows that nobody waits for the model, and not the exact figures. */
const thinkingOf = (seed: number, isSmall: boolean) =>
  isSmall ? { seed, rounds: 2, slack: 5 } : { seed, rounds: 20, slack: 1 };

const parts: Record<string, Part> = {
  wheel: (house, { seed, isSmall }) => takeTheWheel(house, thinkingOf(seed, isSmall)),
  cancel: (house, { seed, isSmall }) => cancelWhileThinking(house, thinkingOf(seed, isSmall)),
  words: (house, { seed, isSmall }) => sayWords(house, { seed, words: isSmall ? 5 : 100, atOnce: 2 }),
  faults: (house, { isSmall }) => sufferFaults(house, { isSmall }),
  budgets: (house, { isSmall }) => useUpBudgets(house, { rounds: isSmall ? 1 : 5 }),
  long: (house, { seed, isSmall }) => pressOnAndOn(house, { seed, decisions: isSmall ? 40 : 200 }),
  noisy: (house, { seed, isSmall, tasks = isSmall ? 4 : 100 }) => spoilAnswers(house, { seed, tasks }),
  // Last: the others measure times.
  kills: (house, { seed, isSmall, tasks = isSmall ? 4 : 100 }) =>
    killWhileDeciding(house, { seed, tasks, kills: isSmall ? 4 : 2 * tasks, atOnce: 4 }),
};

/** Tasks of the evals with a model that is often wrong. */
async function spoilAnswers(house: House, { seed, tasks }: { seed: number; tasks: number }) {
  const { client, stack, sites, minds, model } = house;
  const setting = { installation: { client, stack }, sites, minds, model };
  const run = await runEvals({ setting, mind: 'noisy', wire: 'chat', count: tasks, atOnce: 4, seed });
  const { mismatches, ...figures } = run;
  const wrong = brokenBounds(run);
  return { isGood: wrong.length === 0, figures: { ...figures, not_as_expected: mismatches.length, wrong } };
}

export function troubleMinds({ stack, seed, isSmall, parts: wanted, tasks }: Options) {
  return withHouse(stack, async (house) => {
    const figures: Record<string, object> = {};
    let isGood = true;
    for (const [name, run] of Object.entries(parts)) {
      if (wanted && !wanted.includes(name)) continue;
      const result = await run(house, { seed, isSmall, tasks });
      figures[name] = { good: result.isGood, ...result.figures };
      isGood &&= result.isGood;
      console.error(JSON.stringify({ [name]: figures[name] }));
    }
    return { isGood: isGood && Object.keys(figures).length > 0, figures };
  });
}
