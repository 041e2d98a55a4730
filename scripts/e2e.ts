// npm run e2e [-- file …]: the whole journey, with real processes and a real browser.
import { globSync } from 'node:fs';
import { root } from '../testkit/stack/folders.ts';
import { repeatFailed, runTests } from './run-tests.ts';

/** This one measures how long requests take. */
const isAlone = /^e2e\/console-tabs\.test/;
const given = process.argv.slice(2);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort(signal));

const run = { env: process.env, signal: ending.signal };
const files = given.length > 0 ? given : globSync('e2e/**/*.test.ts', { cwd: root }).sort();
const { alone = [], together = [] } = Object.groupBy(files, (file) => (isAlone.test(file) ? 'alone' : 'together'));
let exitCode = 0;
// The many come last, so that the output ends with their summary.
for (const { group, atOnce } of [
  { group: alone, atOnce: 1 },
  { group: together, atOnce: 2 },
]) {
  if (group.length === 0 || ending.signal.aborted) continue;
  const { code } = await repeatFailed(await runTests(group, { ...run, atOnce }), run);
  exitCode = Math.max(exitCode, code);
}
process.exitCode = exitCode;
