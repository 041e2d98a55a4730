// Whether a script ended as it must: its end, its result, its files, and what the sites know.
import { inspect, isDeepStrictEqual } from 'node:util';
import type { Json } from '@pilothouse/contract';
import type { Visitor } from '../sites/sites.ts';
import { type End, type NamedFile, reasons, type Script } from './script.ts';

/** How a script ended, as its runner was told. */
export type Outcome = {
  status: string;
  /** The step that failed, from 1. */
  failedStep: number | null;
  error: string | null;
  /** The lines that were not understood, where the script was refused. */
  lines: number[];
  data: Json;
  files: NamedFile[];
};

/** Everything that is not as it must be; empty where all is. */
export function judge(script: Omit<Script, 'ask'>, outcome: Outcome, { data, posts }: Visitor): string[] {
  const differences = [...judgeEnd(script.end, outcome)];
  if (script.end.status === 'success' && outcome.status === 'success') {
    // A script that extracts nothing may say so in either way.
    differences.push(...compare('result', outcome.data ?? {}, script.result?.(data) ?? {}));
    differences.push(...compareFiles(outcome.files, script.files?.(data) ?? []));
  }
  differences.push(
    ...compare(
      'POSTs',
      posts.map(({ what }) => what),
      script.posts,
    ),
  );
  for (const { read, is } of script.holds ?? []) differences.push(...compare(`database, ${read}`, read(data), is));
  return differences;
}

function judgeEnd(end: End, { status, failedStep, error, lines }: Outcome): string[] {
  if (status !== end.status) return [`it ended as ${status}, not ${end.status}: ${error} (step ${failedStep})`];
  if (end.status === 'refused') return compare('lines that are wrong', lines, [end.line]);
  if (end.status === 'success') return [];
  if ('says' in end) return end.says.test(error ?? '') ? [] : [`the reason was “${error}”, not ${end.says}`];
  const isReason = reasons[end.reason].test(error ?? '');
  return [
    ...compare('step that failed', failedStep, end.step),
    ...(isReason ? [] : [`the reason was “${error}”, not ${end.reason}`]),
  ];
}

function compareFiles(files: NamedFile[], wanted: NamedFile[]): string[] {
  const names = (some: NamedFile[]) => some.map(({ name }) => name);
  const different = wanted.filter(({ bytes }, index) => {
    const file = files[index];
    return file !== undefined && Buffer.compare(file.bytes, bytes) !== 0;
  });
  return [
    ...compare('files', names(files), names(wanted)),
    ...different.map(({ name }) => `the bytes of ${name} are not those of the site`),
  ];
}

function compare(what: string, found: unknown, wanted: unknown): string[] {
  if (isDeepStrictEqual(found, wanted)) return [];
  const show = (value: unknown) =>
    inspect(value, { depth: 5, breakLength: Infinity, maxArrayLength: 30 }).slice(0, 1500);
  return [`${what}: found ${show(found)}, should be ${show(wanted)}`];
}
