// npm test [-- file … | --whole]: starts a PostgreSQL of its own, runs the tests on it, and removes it again. With `--whole` the journey
// of `npm run e2e` and the images are among them: light tests use what the images leave of the processors.
import { parseArgs } from 'node:util';
import type { createServices } from '../testkit/stack/services.ts';
import { withServices } from '../testkit/stack/with-services.ts';
import { printSlowest, printTotals, printWeather, repeatFailed, runTests, type TestRun } from './run-tests.ts';
import { makeTestFolder } from './test-folder.ts';
import { lanes, testFiles } from './test-kinds.ts';

const { values, positionals: given } = parseArgs({
  options: { whole: { type: 'boolean', default: false } },
  allowPositionals: true,
});
process.env.TEST_POSTGRES_FSYNC = 'off';
/** They take half of it on a busy machine. */
const imagesSecs = 2400;

async function runAll(services: ReturnType<typeof createServices>, signal: AbortSignal): Promise<number> {
  await services.start('postgres');
  const env = { ...process.env, TEST_DATABASE_URL: services.adminDatabaseUrl() };
  if (given.length > 0) {
    const { code, summaries } = await runTests(given, { env, signal });
    printSlowest(summaries);
    return code;
  }
  const { images, alone, heavy, journey, light } = testFiles({ isWhole: values.whole });
  const runs: [name: string, run: TestRun][] = [];
  let beside = light;
  type More = Pick<Parameters<typeof runTests>[1], 'atOnce' | 'besideAtOnce' | 'leavesRest' | 'fileSecs'>;
  const run = async (name: string, files: string[], { fileSecs, ...more }: More) => {
    if (files.length === 0 || signal.aborted) return;
    const first = await runTests(files, { env, signal, fileSecs, ...more, beside });
    beside = first.left;
    runs.push([name, await repeatFailed(first, { env, signal, fileSecs })]);
  };
  await run('images', images, { besideAtOnce: 2, leavesRest: true, fileSecs: imagesSecs });
  await run('together', heavy, { atOnce: lanes });
  await run('journey', journey, { atOnce: lanes });
  await run('alone', alone, {});
  for (const [name, done] of runs) printWeather(name, done);
  const all = runs.map(([, done]) => done);
  printSlowest(all.flatMap(({ summaries }) => summaries));
  // The output ends with the sum of all tests.
  printTotals(all);
  return Math.max(...all.map(({ code }) => code));
}

makeTestFolder();
process.exitCode = await withServices(`test-${process.pid}`, runAll);
