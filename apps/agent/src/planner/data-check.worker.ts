// The thread of data-check.ts: says first what of the data does not fit the schema, and where all of it fits, what was seen nowhere.

import { parentPort, workerData } from 'node:worker_threads';
import type { Json } from '@pilothouse/contract';
import { z } from 'zod';
import { ungroundedIn } from './grounding.ts';

type Schema = Parameters<typeof z.fromJSONSchema>[0];

const shownProblems = 3;
/** The message of a long list of choices has all of them. */
const shownChars = 300;

const { data, schema, texts }: { data: Json | null; schema: Schema | null; texts: string[] } = workerData;
const problem = schema === null ? undefined : problemIn(data, schema);
parentPort?.postMessage({ problem });
if (!problem) parentPort?.postMessage({ ungrounded: ungroundedIn(data, texts) });

function problemIn(value: Json | null, wanted: Schema): string | undefined {
  const issues = z.fromJSONSchema(wanted).safeParse(value).error?.issues ?? [];
  const told = issues
    .slice(0, shownProblems)
    .map(({ path, message }) => `${path.length > 0 ? path.join('.') : 'data'}: ${message}`.slice(0, shownChars));
  return told.length > 0 ? told.join('; ').toWellFormed() : undefined;
}
