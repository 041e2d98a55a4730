// A process of its own: runs test files with node's runner in the order given, the longest first, so that none is left to the
// end while the other lanes have nothing to do. `node --test` would sort them by name.
import { writeFileSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import type { FileSummary } from './run-tests.ts';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    'at-once': { type: 'string', default: '1' },
    'file-secs': { type: 'string' },
    summaries: { type: 'string', default: '' },
  },
});
const testMs = 300_000;

// The files that run get the signal too, and remove what they started; no other one begins.
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort());

const events = run({
  files,
  concurrency: Number(values['at-once']),
  timeout: testMs,
  execArgv: [`--import=${new URL(`./file-deadline.ts?secs=${values['file-secs']}`, import.meta.url)}`],
  signal: ending.signal,
});
const summaries: FileSummary[] = [];
events.on('test:summary', ({ file, duration_ms: ms, success: hasPassed }) => {
  if (file !== undefined) summaries.push({ file, ms, hasPassed });
  else if (!hasPassed) process.exitCode = 1;
});
events.on('test:fail', () => {
  process.exitCode = 1;
});
events.on('end', () => writeFileSync(values.summaries, JSON.stringify(summaries)));
events.compose(spec).pipe(process.stdout);
