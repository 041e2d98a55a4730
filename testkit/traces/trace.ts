// The trace of one task, out of the spans that a receiver has.

import { until } from '../until.ts';
import type { OtlpReceiver, ReceivedSpan } from './otlp-receiver.ts';

const arriveMs = 20_000;

/** Waits until the run that ended the task is there, and what is above each span. */
export async function wholeTrace({ spans }: Pick<OtlpReceiver, 'spans'>, taskId: string): Promise<ReceivedSpan[]> {
  await until(() => isWhole(traceOf(spans, taskId)), arriveMs);
  return traceOf(spans, taskId);
}

/** In the order in which they began. */
export function traceOf(spans: readonly ReceivedSpan[], taskId: string): ReceivedSpan[] {
  const begun = spans.find(({ name, attributes }) => name === 'task.begin' && attributes.task_id === taskId);
  return spans.filter(({ traceId }) => traceId === begun?.traceId).toSorted((one, other) => one.start - other.start);
}

export const parentOf = (trace: readonly ReceivedSpan[], { parentId }: ReceivedSpan): ReceivedSpan | undefined =>
  trace.find(({ spanId }) => spanId === parentId);

function isWhole(trace: ReceivedSpan[]): boolean {
  const isEnded = trace.some(({ name, attributes }) => name === 'task.run' && attributes.outcome === 'done');
  return isEnded && trace.every((span) => span.parentId === undefined || parentOf(trace, span) !== undefined);
}
