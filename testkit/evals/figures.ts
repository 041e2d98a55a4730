// What a run of evals says in figures: calls and tokens as the status and the model server's books have them, and our own time.
import type { TaskStatus } from '@pilothouse/contract';
import { type Entry, keepsPrefix } from '../models/books.ts';
import { costOf } from '../models/prices.ts';
import { figuresOf } from '../percentiles.ts';

export type Spent = { status: TaskStatus; entries: Entry[] };

export function spentFigures(spent: Spent[]) {
  const entries = spent.flatMap((one) => one.entries);
  const answered = entries.flatMap(({ tokens }) => tokens ?? []);
  const pairs = spent.flatMap((one) => pairsOf(one.entries));
  const kept = pairs.filter(([earlier, later]) => keepsPrefix(earlier, later)).length;
  const sum = (list: number[]) => list.reduce((all, one) => all + one, 0);
  const { p50, p90 } = figuresOf(spent.flatMap(ownTimes));
  return {
    calls: entries.length,
    calls_per_task: Math.round((10 * entries.length) / Math.max(1, spent.length)) / 10,
    tokens: {
      input: sum(answered.map(({ input }) => input)),
      cached: sum(answered.map(({ cached }) => cached)),
      output: sum(answered.map(({ output }) => output)),
    },
    /** Of calls, input and output, between the status of the tasks and the books. */
    difference_to_books: sum(spent.map(differenceOf)),
    /** In millionths of a dollar, by the prices that the agent was given. */
    cost_micros: {
      status: sum(spent.map(({ status }) => status.cost.cost_micros ?? Number.NaN)),
      books: sum(answered.map(costOf)),
      difference: sum(spent.map(costDifferenceOf)),
    },
    largest_call_tokens: Math.max(0, ...answered.map(({ input }) => input)),
    prefix_kept: { of: pairs.length, kept },
    own_ms_per_decision: { p50, p90 },
  };
}

const pairsOf = (entries: Entry[]): [Entry, Entry][] =>
  entries.slice(1).map((later, index) => [entries[index] as Entry, later]);

function differenceOf({ status: { cost }, entries }: Spent): number {
  const sum = (name: 'input' | 'output') => entries.reduce((all, { tokens }) => all + (tokens?.[name] ?? 0), 0);
  return (
    Math.abs(cost.model_calls - entries.length) +
    Math.abs(cost.input_tokens - sum('input')) +
    Math.abs(cost.output_tokens - sum('output'))
  );
}

/** Each call is rounded up by itself. A status without a cost differs too. */
function costDifferenceOf({ status: { cost }, entries }: Spent): number {
  const books = entries.reduce((all, { tokens }) => all + (tokens ? costOf(tokens) : 0), 0);
  return Math.abs((cost.cost_micros ?? Number.NaN) - books);
}

/**
 * From one request to the next, without the time of the steps between them. The scripted model answers at once, so that
 * all of it is ours: to write down the decision, to begin its steps, to look at the page and to ask.
 */
function ownTimes({ status: { agent_history }, entries }: Spent): number[] {
  const steps = agent_history.map(({ timestamp, wait_ms, run_ms }) => ({
    at: Date.parse(timestamp),
    ms: wait_ms + run_ms,
  }));
  return pairsOf(entries).map(([earlier, later]) => {
    const between = steps.filter(({ at }) => at >= earlier.at && at < later.at);
    return later.at - earlier.at - between.reduce((all, { ms }) => all + ms, 0);
  });
}
