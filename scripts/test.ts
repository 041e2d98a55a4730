// npm test [-- file …]: starts a PostgreSQL of its own, runs the tests on it, and removes it again.
import { spawn } from 'node:child_process';
import { createServices } from './dev/services.ts';

const everything = ['packages/**/*.test.ts', 'apps/**/*.test.ts', 'scripts/**/*.test.ts', 'chaos/**/*.test.ts'];
const given = process.argv.slice(2);

const services = createServices(`test-${process.pid}`);
let exitCode = 1;
try {
  await services.start('postgres');
  exitCode = await runTests(given.length > 0 ? given : everything);
} finally {
  await services.down({ wipe: true });
}
process.exitCode = exitCode;

function runTests(files: string[]): Promise<number> {
  const env = { ...process.env, TEST_DATABASE_URL: services.databaseUrl() };
  const args = ['--test', '--test-concurrency=2', '--test-timeout=300000', '--test-reporter=spec', ...files];
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  // The terminal's Ctrl-C reaches the tests too: wait for them to end, then tidy up.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}
