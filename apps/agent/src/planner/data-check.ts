// Checks the data of a result against the schema of its request and against what was seen, in a thread of its own: a short schema can
// take longer than a life (definitions that name two others each), as can much data, and the agent has other tasks.

import { Worker } from 'node:worker_threads';
import type { Json } from '@pilothouse/contract';

/** The server compiled the schema before it took the task. `texts`: everything that the model can have a value from. */
type Known = { schema: object | null; texts: readonly string[] };
/** `problem`: what does not fit the schema, in words for the model. `ungrounded`: the paths of values that were seen nowhere. */
export type Checked = { problem?: string | undefined; ungrounded: string[] };

/** Wide: a machine that is busy takes long to begin a thread. */
const usualLimitMs = 5000;
const mostMb = 256;
const tooHeavy = 'it takes too long to check: give less data';

/** Where looking for values takes too long, none is named. */
export async function checkData(data: Json | null, { schema, texts }: Known, limitMs = usualLimitMs): Promise<Checked> {
  if (data === null && schema === null) return { ungrounded: [] };
  const worker = new Worker(new URL('./data-check.worker.ts', import.meta.url), {
    workerData: { data, schema, texts },
    resourceLimits: { maxOldGenerationSizeMb: mostMb },
  });
  const { promise, resolve } = Promise.withResolvers<Checked>();
  let soFar: Checked = schema === null ? { ungrounded: [] } : { problem: tooHeavy, ungrounded: [] };
  worker.on('message', (told: Partial<Checked>) => {
    soFar = { ungrounded: [], ...told };
    if (told.problem || told.ungrounded) resolve(soFar);
  });
  worker.once('error', () => resolve(soFar));
  const late = setTimeout(() => resolve(soFar), limitMs);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    await worker.terminate();
  }
}
