// npm run check: everything that must hold before a change is pushed. Ends with the summary of the tests.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { root } from '../testkit/stack/folders.ts';

const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}` };

const steps: [name: string, command: string, ...args: string[]][] = [
  ['types', 'tsc', '--project', '.'],
  ['types of the console', 'tsc', '--project', 'apps/console'],
  ['format and lint', 'biome', 'check', '--error-on-warnings', '.'],
  ['import directions', process.execPath, 'scripts/imports.ts'],
  ['layout', process.execPath, 'scripts/layout.ts', '--verify'],
  ['lengths', process.execPath, 'scripts/lengths.ts'],
  ['unused code', 'knip', '--no-config-hints'],
  ['table types', process.execPath, 'scripts/generate.ts', '--verify'],
  ['tests', process.execPath, 'scripts/test.ts'],
];

for (const [name, command, ...args] of steps) {
  console.log(`check: ${name}`);
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) {
    console.error(`check: ${name} failed${error ? `: ${error.message}` : ''}`);
    process.exit(1);
  }
}
