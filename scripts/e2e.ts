// npm run e2e [-- file …]: the whole journey, with real processes and a real browser.
import { globSync } from 'node:fs';
import { root } from '../testkit/stack/folders.ts';
import { repeatFailed, runTests, slowestFirst } from './run-tests.ts';

/** This one measures how long requests take. */
const isAlone = /^e2e\/console-tabs\.test/;
/** As many as the smallest machine has processors: with more, people's clicks and keys come later than tests wait. */
const lanes = 2;
const given = process.argv.slice(2);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort(signal));

const run = { env: process.env, signal: ending.signal };
const files = given.length > 0 ? given : slowestFirst(globSync('e2e/**/*.test.ts', { cwd: root }));
const { alone = [], together = [] } = Object.groupBy(files, (file) => (isAlone.test(file) ? 'alone' : 'together'));
let exitCode = 0;
// The many come last, so that the output ends with their summary.
for (const { group, atOnce } of [
  { group: alone, atOnce: 1 },
  { group: together, atOnce: lanes },
]) {
  if (group.length === 0 || ending.signal.aborted) continue;
  const { code } = await repeatFailed(await runTests(group, { ...run, atOnce }), run);
  exitCode = Math.max(exitCode, code);
}
process.exitCode = exitCode;
