// npm test [-- file …]: starts a PostgreSQL of its own, runs the tests on it, and removes it again.
import { globSync } from 'node:fs';
import { root } from '../testkit/stack/folders.ts';
import type { createServices } from '../testkit/stack/services.ts';
import { withServices } from '../testkit/stack/with-services.ts';
import { printSlowest, printWeather, repeatFailed, runTests, slowestFirst } from './run-tests.ts';
import { makeTestFolder } from './test-folder.ts';

const patterns = ['packages', 'apps', 'scripts', 'testkit', 'chaos', 'bench', 'deploy'].map(
  (folder) => `${folder}/**/*.test.ts`,
);
/** These measure rates, ratios and times: each runs alone. */
const isAlone =
  /^scripts\/stack\.test|^bench\/bounded\.test|^apps\/browser\/src\/live\/screencast\.test|^apps\/agent\/src\/host-events\/recorder\.test/;
/** As many as the smallest machine has processors: with more, pages answer too late for what tests ask of them. */
const lanes = 2;
process.env.TEST_POSTGRES_FSYNC = 'off';

async function runAll(services: ReturnType<typeof createServices>, signal: AbortSignal): Promise<number> {
  await services.start('postgres');
  const env = { ...process.env, TEST_DATABASE_URL: services.adminDatabaseUrl() };
  const given = process.argv.slice(2);
  if (given.length > 0) {
    const { code, summaries } = await runTests(given, { env, signal });
    printSlowest(summaries);
    return code;
  }
  const files = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] });
  const { alone = [], together = [] } = Object.groupBy(files, (file) => (isAlone.test(file) ? 'alone' : 'together'));
  const ordered = slowestFirst(together);
  const runs = [
    await repeatFailed(await runTests(ordered, { env, signal, atOnce: lanes }), { env, signal }),
    ...(signal.aborted ? [] : [await repeatFailed(await runTests(alone, { env, signal }), { env, signal })]),
  ];
  for (const [index, name] of ['together', 'alone'].entries()) if (runs[index]) printWeather(name, runs[index]);
  printSlowest(runs.flatMap(({ summaries }) => summaries));
  return Math.max(...runs.map(({ code }) => code));
}

makeTestFolder();
process.exitCode = await withServices(`test-${process.pid}`, runAll);
