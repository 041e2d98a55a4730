// npm run e2e [-- file …]: the whole journey, with real processes and a real browser.
import { repeatFailed, runTests } from './run-tests.ts';

const given = process.argv.slice(2);
const patterns = given.length > 0 ? given : ['e2e/**/*.test.ts'];
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort(signal));

const run = { env: process.env, signal: ending.signal };
const { code } = await repeatFailed(await runTests(patterns, { ...run, atOnce: 2 }), run);
process.exitCode = code;
