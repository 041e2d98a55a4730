// How much a model may still use for a task: tokens, money, steps, time. Reads rows and settings, writes nothing.

import { type Task, taskLimits } from '@pilothouse/contract';
import { type ModelCallRow, type ModelLimits, type ModelUseToday, type TaskRow, usedUpToday } from '@pilothouse/store';

type Spending = {
  task: Pick<TaskRow, 'input_tokens' | 'output_tokens' | 'cost_micros'>;
  settings: Task['settings'];
  calls: Pick<ModelCallRow, 'status' | 'estimated_tokens'>[];
  attemptsOfTask: number;
  leftMs: number;
  /** Of the next call. */
  estimatedTokens: number;
  /** Of the person who started the task, where there are limits for a day. */
  day?: { limits: ModelLimits; used: ModelUseToday };
};
/**
 * `over`: no further call. `isLast`: the next call is the last one that fits, so it may only finish. `note` is told to the
 * model.
 */
export type Budget = { over?: string; isLast: boolean; note?: string };

const noteAt = 0.75;
const lastMs = 30_000;

export function budgetOf({ task, settings, calls, attemptsOfTask, leftMs, estimatedTokens, day }: Spending): Budget {
  const dayOver = day && usedUpToday(day.used, day.limits);
  if (dayOver) return { over: dayOver, isLast: true };
  const maxTokens = settings.max_tokens ?? taskLimits.tokens.usual;
  const maxMicros = settings.max_cost === undefined ? Number.POSITIVE_INFINITY : settings.max_cost * 1_000_000;
  // Nobody knows what a lost call used: it counts as estimated.
  const lost = calls.reduce((sum, { status, estimated_tokens }) => sum + (status === 'lost' ? estimated_tokens : 0), 0);
  const tokens = task.input_tokens + task.output_tokens + lost;
  if (tokens >= maxTokens) return { over: `The task has used its max_tokens of ${maxTokens}.`, isLast: true };
  if (task.cost_micros >= maxMicros)
    return { over: `The task has used its max_cost of ${settings.max_cost} dollars.`, isLast: true };
  const parts: [what: string, used: number, most: number][] = [
    ['tokens', tokens, maxTokens],
    ['money', task.cost_micros, maxMicros],
    ['steps', attemptsOfTask, settings.max_steps],
  ];
  const isLast =
    attemptsOfTask >= settings.max_steps ||
    tokens + 2 * estimatedTokens > maxTokens ||
    nextCost(task, calls) > maxMicros ||
    leftMs < lastMs ||
    (day !== undefined && isLastToday(day, { task, calls, estimatedTokens }));
  const near = parts.filter(([, used, most]) => used >= noteAt * most);
  const note = near.map(([what, used, most]) => `${Math.round((100 * used) / most)} % of its ${what}`).join(', ');
  if (isLast) return { isLast, note: 'This is the last call: finish now with what you have.' };
  return note ? { isLast, note: `The task has used ${note}.` } : { isLast };
}

/** After two more calls of the usual price. */
const nextCost = (task: Spending['task'], calls: Spending['calls']): number =>
  task.cost_micros + 2 * usualCost(task, calls);

function usualCost({ cost_micros }: Spending['task'], calls: Spending['calls']): number {
  const ended = calls.filter(({ status }) => status === 'ok').length;
  return ended === 0 ? 0 : cost_micros / ended;
}

/** Two more calls do not fit into the day of the person. */
function isLastToday(
  { limits, used }: NonNullable<Spending['day']>,
  { task, calls, estimatedTokens }: Pick<Spending, 'task' | 'calls' | 'estimatedTokens'>,
): boolean {
  const tokens = used.tokens + 2 * estimatedTokens;
  const costMicros = used.costMicros + 2 * usualCost(task, calls);
  return (limits.tokens > 0 && tokens > limits.tokens) || (limits.costMicros > 0 && costMicros > limits.costMicros);
}
