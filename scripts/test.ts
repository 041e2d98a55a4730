// npm test [-- file …]: starts a PostgreSQL of its own, runs the tests on it, and removes it again.
import { spawn } from 'node:child_process';
import { withServices } from './dev/with-services.ts';

const everything = ['packages', 'apps', 'scripts', 'chaos', 'bench'].map((place) => `${place}/**/*.test.ts`);
const given = process.argv.slice(2);

process.exitCode = await withServices(`test-${process.pid}`, async (services, signal) => {
  await services.start('postgres');
  return runTests(given.length > 0 ? given : everything, services.databaseUrl(), signal);
});

function runTests(files: string[], databaseUrl: string, signal: AbortSignal): Promise<number> {
  const env = { ...process.env, TEST_DATABASE_URL: databaseUrl };
  // One file at a time: many drive real browsers and measure, and two cores are soon full.
  const args = ['--test', '--test-concurrency=1', '--test-timeout=300000', '--test-reporter=spec', ...files];
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  // The terminal's Ctrl-C reaches the tests by itself; whoever ends only us means them too.
  signal.addEventListener('abort', () => child.kill(signal.reason));
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}
