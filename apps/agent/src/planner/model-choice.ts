// Which model is asked next, and when, from the calls so far: retries, then the fallback, then longer waits, then the end.

import type { ModelCallRow } from '@pilothouse/store';
import type { Models } from '../model/models.ts';

type Call = Pick<ModelCallRow, 'status' | 'model' | 'failure' | 'error'> & { retry_in_ms: number };
/** A model, and how long it must not be asked yet. */
export type ModelChoice = { model: string; waitMs: number } | { end: string };

const triesPerModel = 3;
const longWaits = 3;
const longWaitMs = 300_000;
const firstPauseMs = 1000;
const maxPauseMs = 60_000;
/** The same model answers the same again. */
const isFinal = (failure: string | null): boolean =>
  failure !== null && ['unauthorized', 'bad_request', 'refused', 'too_long'].includes(failure);

export function chooseModel(calls: readonly Call[], models: Models, wanted: string | null): ModelChoice {
  const first = wanted === null ? models.default : models.byName(wanted);
  if (!first) return { end: `The model ${JSON.stringify(wanted)} is not among those of this installation.` };
  const failed = failuresSinceAnswer(calls);
  const last = failed.at(-1);
  if (!last) return { model: first.name, waitMs: 0 };
  const waitMs = last.retry_in_ms;
  const order = orderFrom(first.name, models);
  const isUsedUp = (name: string) => {
    const own = failed.filter(({ model }) => model === name);
    return own.length >= triesPerModel || own.some(({ failure }) => isFinal(failure));
  };
  const next = order.find((name) => !isUsedUp(name));
  if (next) return { model: next, waitMs };
  const isHopeless = order.every((name) => failed.some(({ model, failure }) => model === name && isFinal(failure)));
  if (isHopeless || failed.length >= order.length * triesPerModel + longWaits)
    return { end: `No model answered. The last failure: ${last.error ?? last.failure}` };
  const mayAnswer = order.find((name) => !failed.some(({ model, failure }) => model === name && isFinal(failure)));
  return { model: mayAnswer ?? first.name, waitMs };
}

/** How long to wait after this failure, the newest of the calls; undefined where the same model is not asked again. */
export function pauseAfter(
  calls: readonly Call[],
  failure: { kind: string; retryAfterMs?: number },
  models: Models,
): number | undefined {
  if (isFinal(failure.kind)) return undefined;
  const count = failuresSinceAnswer(calls).length;
  const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(count, 10));
  const isLong = count + 1 >= triesPerModel * models.list.length;
  return failure.retryAfterMs ?? (isLong ? longWaitMs : pauseMs);
}

/** Calls that were lost or aborted say nothing about the model. */
function failuresSinceAnswer(calls: readonly Call[]): Call[] {
  const answered = calls.findLastIndex(({ status }) => status === 'ok');
  return calls.slice(answered + 1).filter(({ status }) => status === 'failed');
}

function orderFrom(first: string, models: Models): string[] {
  const order = [first];
  for (let next = models.after(first, order); next; next = models.after(first, order)) order.push(next.name);
  return order;
}
