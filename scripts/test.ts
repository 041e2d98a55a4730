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
/**
 * These have a browser, a stack, or a page that answers in time. All others wait for rows and sockets at most: they run in what the
 * processors have left beside these.
 */
const isHeavy =
  /^(apps\/browser|bench|chaos)\/|^deploy\/(observe|systemd|proxies)|^scripts\/(bus|check|demo|dev|packages|process-commands)\.test|^apps\/server\/src\/(http\/reference-page|mcp\/guide)|^apps\/cli\/src\/commands\/here/;
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
  const kindOf = (file: string) => (isAlone.test(file) ? 'alone' : isHeavy.test(file) ? 'heavy' : 'light');
  const { alone = [], heavy = [], light = [] } = Object.groupBy(files, kindOf);
  const beside = slowestFirst(light);
  const runs = [
    await repeatFailed(await runTests(slowestFirst(heavy), { env, signal, atOnce: lanes, beside }), { env, signal }),
    ...(signal.aborted ? [] : [await repeatFailed(await runTests(alone, { env, signal }), { env, signal })]),
  ];
  for (const [index, name] of ['together', 'alone'].entries()) if (runs[index]) printWeather(name, runs[index]);
  printSlowest(runs.flatMap(({ summaries }) => summaries));
  return Math.max(...runs.map(({ code }) => code));
}

makeTestFolder();
process.exitCode = await withServices(`test-${process.pid}`, runAll);
