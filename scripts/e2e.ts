// npm run e2e [-- file …]: the whole journey, with real processes and a real browser.
import { spawnSync } from 'node:child_process';
import { root } from './dev/place.ts';

const given = process.argv.slice(2);
const files = given.length > 0 ? given : ['e2e/**/*.test.ts'];
const args = ['--test', '--test-concurrency=1', '--test-timeout=300000', '--test-reporter=spec', ...files];
process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
