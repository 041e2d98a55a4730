// npm run e2e [-- name | file …]: the whole journey, with real processes and a real browser. A name stands for all files that begin
// with it, such as `console`.
import { globSync } from 'node:fs';
import { root } from '../testkit/stack/folders.ts';
import {
  printSlowest,
  printTotals,
  printWeather,
  repeatFailed,
  runTests,
  slowestFirst,
  type TestRun,
} from './run-tests.ts';
import { makeTestFolder } from './test-folder.ts';

/** This one measures how long requests take. */
const isAlone = /^e2e\/console-tabs\.test/;
/** As many as the smallest machine has processors: with more, people's clicks and keys come later than tests wait. */
const lanes = 2;
const given = process.argv.slice(2);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort(signal));

const run = { env: process.env, signal: ending.signal };
const named = (one: string) => (/^[a-z-]+$/.test(one) ? globSync(`e2e/${one}*.test.ts`, { cwd: root }) : [one]);
const files = given.length > 0 ? given.flatMap(named) : slowestFirst(globSync('e2e/**/*.test.ts', { cwd: root }));
const { alone = [], together = [] } = Object.groupBy(files, (file) => (isAlone.test(file) ? 'alone' : 'together'));

async function runAll(): Promise<number> {
  let exitCode = 0;
  const runs: TestRun[] = [];
  for (const { group, atOnce } of [
    { group: alone, atOnce: 1 },
    { group: together, atOnce: lanes },
  ]) {
    if (group.length === 0 || ending.signal.aborted) continue;
    const done = await repeatFailed(await runTests(group, { ...run, atOnce }), run);
    exitCode = Math.max(exitCode, done.code);
    runs.push(done);
    printWeather('e2e', done);
  }
  printSlowest(runs.flatMap(({ summaries }) => summaries));
  // The output ends with the sum of all tests.
  printTotals(runs);
  return exitCode;
}

makeTestFolder();
process.exitCode = await runAll();
