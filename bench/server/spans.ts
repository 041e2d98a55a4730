// What a span costs around work that is as short as possible: beside the bare work, off, on, and with a receiver that never answers.
import { createServer } from 'node:http';
import { createLog, openSpan, span, startTracing } from '@pilothouse/process';
import { listen } from '../../testkit/listen.ts';
import { startOtlpReceiver } from '../../testkit/traces/otlp-receiver.ts';

const log = createLog('bench', 'silent');
const rounds = 5;

const work = async (): Promise<number> => 1;
const spanned = () => span('task.step', { step: 1, action: 'click', attempt: 1 }, work);

/** Nanoseconds of one, of the fastest round. */
async function nanosecondsOf(times: number, one: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round <= rounds; round++) {
    const from = process.hrtime.bigint();
    for (let i = 0; i < times; i++) await one();
    least = Math.min(least, Number(process.hrtime.bigint() - from) / times);
  }
  return Math.round(least);
}

/** Below a span that is open, as everything is that a task does. */
async function traced(url: string, ratio: number, times: number): Promise<number> {
  const tracing = await startTracing(
    { url, headers: {}, ratio },
    { service: 'bench', instance: 'one', log, closeMs: 100 },
  );
  const run = openSpan('task.run', {}, {});
  try {
    return (await run?.within(() => nanosecondsOf(times, spanned))) ?? Number.NaN;
  } finally {
    run?.end();
    await tracing.close();
  }
}

export async function measureSpans(times: number) {
  const bare = await nanosecondsOf(times, work);
  const off = await nanosecondsOf(times, spanned);
  const receiver = await startOtlpReceiver();
  const on = await traced(`${receiver.url}/v1/traces`, 1, times);
  const unsampled = await traced(`${receiver.url}/v1/traces`, 0, times);
  await receiver.close();
  const hole = await listen(createServer(() => {}));
  const unanswered = await traced(hole.url, 1, times);
  await hole.close();
  return { ns_per_span: { bare, off, unsampled, on, unanswered } };
}
