// npm run e2e [-- name | file …]: the whole journey, with real processes and a real browser. A name stands for all files that begin
// with it, such as `console`. The images are not in it: `npm run images -- test`.
import { globSync } from 'node:fs';
import { root } from '../testkit/stack/folders.ts';
import { printSlowest, printTotals, printWeather, repeatFailed, runTests, type TestRun } from './run-tests.ts';
import { makeTestFolder } from './test-folder.ts';
import { inKinds, journeyFiles, lanes } from './test-kinds.ts';

const given = process.argv.slice(2);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort(signal));

const run = { env: process.env, signal: ending.signal };
const named = (one: string) => (/^[a-z-]+$/.test(one) ? globSync(`e2e/${one}*.test.ts`, { cwd: root }) : [one]);
const { alone, journey } = given.length > 0 ? inKinds(given.flatMap(named)) : journeyFiles();

async function runAll(): Promise<number> {
  let exitCode = 0;
  const runs: TestRun[] = [];
  for (const { group, atOnce } of [
    { group: alone, atOnce: 1 },
    { group: journey, atOnce: lanes },
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
