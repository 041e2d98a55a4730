// npm run e2e [-- file …]: the whole journey, with real processes and a real browser.
import { globSync } from 'node:fs';
import { root } from '../testkit/stack/folders.ts';
import { printBusy, printSlowest, repeatFailed, runTests } from './run-tests.ts';

/** This one measures how long requests take: it runs alone. */
const isAlone = /^e2e\/console-tabs\.test/;
const given = process.argv.slice(2);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort(signal));

const run = { env: process.env, signal: ending.signal };
const files = given.length > 0 ? given : globSync('e2e/**/*.test.ts', { cwd: root }).sort();
const { alone = [], together = [] } = Object.groupBy(files, (file) => (isAlone.test(file) ? 'alone' : 'together'));
const runs = [];
for (const [name, group, atOnce] of [
  ['together', together, 2],
  ['alone', alone, 1],
] as const) {
  if (group.length === 0 || ending.signal.aborted) continue;
  const ended = await repeatFailed(await runTests(group, { ...run, atOnce }), run);
  printBusy(name, ended);
  runs.push(ended);
}
printSlowest(runs.flatMap(({ summaries }) => summaries));
process.exitCode = Math.max(0, ...runs.map(({ code }) => code));
