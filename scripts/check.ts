// npm run check [-- --static]: everything that must hold before a change is pushed. Ends with the summary of the tests, or before
// them.
import { spawn, spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { root } from '../testkit/stack/folders.ts';

const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}` };

/** By default `tsc` runs several checkers, each of which computes what they share. One takes a third less of the processors. */
const oneChecker = ['--checkers', '1'];

type Step = [name: string, command: string, ...args: string[]];
const steps: Step[] = [
  ['types', 'tsc', '--project', '.', ...oneChecker],
  ['types of the console', 'tsc', '--project', 'apps/console', ...oneChecker],
  ['format and lint', 'biome', 'check', '--error-on-warnings', '.'],
  ['import directions', process.execPath, 'scripts/imports.ts'],
  ['layout', process.execPath, 'scripts/layout.ts', '--verify'],
  ['lengths', process.execPath, 'scripts/lengths.ts'],
  ['unused code', 'knip', '--no-config-hints'],
  ['table types', process.execPath, 'scripts/generate.ts', '--verify'],
];
/** Several of them use one processor only. */
const lanes = 2;

type Result = { isGood: boolean; said: string };

function run([, command, ...args]: Step): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>();
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  child.once('error', ({ message }) => resolve({ isGood: false, said: message }));
  child.once('close', (code) => resolve({ isGood: code === 0, said }));
  return promise;
}

/** No step begins after one has failed. Those that have begun are told too. */
async function runSteps(): Promise<boolean> {
  const waiting = steps.values();
  let isGood = true;
  const lane = async () => {
    for (const step of waiting) {
      const result = await run(step);
      console.log(`check: ${step[0]}`);
      process.stdout.write(result.said);
      if (!result.isGood) console.error(`check: ${step[0]} failed`);
      isGood &&= result.isGood;
      if (!isGood) return;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return isGood;
}

if (!(await runSteps())) process.exit(1);
if (process.argv.includes('--static')) process.exit(0);
console.log('check: tests');
const { status } = spawnSync(process.execPath, ['scripts/test.ts'], { cwd: root, env, stdio: 'inherit' });
if (status !== 0) {
  console.error('check: tests failed');
  process.exit(1);
}
