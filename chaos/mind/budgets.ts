// A model that never finishes and says far more than was estimated: its task ends by its budget of tokens or money, which it
// overruns by one call at the most.

import type { Mind, Tokens } from '../../testkit/models/mind.ts';
import { costOf } from '../../testkit/models/prices.ts';
import { ended, type House } from './house.ts';

const outputTokens = 3000;
const tokensOf = ({ input, output }: Tokens): number => input + output;
const budgets = [
  { limits: { max_tokens: 40_000 }, most: 40_000, usedBy: tokensOf, word: 'max_tokens' },
  { limits: { max_cost: 0.3 }, most: 300_000, usedBy: costOf, word: 'max_cost' },
];

export async function useUpBudgets(house: House, { rounds }: { rounds: number }) {
  const wrong: string[] = [];
  const figures: Record<string, { most: number; used: number[]; calls: number[]; overrun_in_calls: number }> = {};
  for (const { limits, most, usedBy, word } of budgets) {
    const figure = { most, used: [] as number[], calls: [] as number[], overrun_in_calls: 0 };
    figures[word] = figure;
    for (let i = 0; i < rounds; i += 1) {
      const name = `${word.replace('_', '-')}-${i}`;
      const { taskId, sessionId } = await house.begin(name, opensOnAndOn(house, name), undefined, limits);
      const status = await ended(house, taskId);
      await house.client.deleteSession({ id: sessionId });
      const uses = house.booksOf(name).flatMap(({ tokens }) => (tokens ? usedBy(tokens) : []));
      const used = uses.reduce((sum, one) => sum + one, 0);
      figure.used.push(used);
      figure.calls.push(uses.length);
      figure.overrun_in_calls = Math.max(figure.overrun_in_calls, callsBeyond(uses, most));
      const say = (text: string) => wrong.push(`${name}: ${text}`);
      const cost = status?.cost;
      const told = cost && (usedBy === costOf ? cost.cost_micros : cost.input_tokens + cost.output_tokens);
      if (told !== used) say(`its status says ${told}, the books ${used}`);
      if (status?.status !== 'failed') say(`it ended as ${status?.status}`);
      else if (!status.last_error?.includes(word)) say(`it ended with: ${status.last_error}`);
      if (used < most) say(`it ended after ${used} of ${most}`);
    }
    if (figure.overrun_in_calls > 1) wrong.push(`${word} was overrun by ${figure.overrun_in_calls} calls`);
  }
  return { isGood: wrong.length === 0, figures: { ...figures, wrong } };
}

/** How many of the calls went beyond the budget, or were made when it was used up. */
function callsBeyond(uses: number[], most: number): number {
  let used = 0;
  return uses.filter((use) => {
    used += use;
    return used > most;
  }).length;
}

/** Also in the call that may only finish. */
const opensOnAndOn =
  ({ forms }: House, name: string): Mind =>
  ({ messages }) => ({
    text: 'goal: one more page',
    calls: [{ name: 'open', input: { url: `${forms.url}/${name}/${messages.length}` } }],
    tokens: { output: outputTokens },
  });
