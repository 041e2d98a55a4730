import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';

const main = join(import.meta.dirname, '../main.ts');
/** At a server that is not there: what is refused by itself asks none. */
const pilothouse = (...args: string[]) =>
  spawnSync(process.execPath, [main, ...args, '--url', 'http://127.0.0.1:9'], { encoding: 'utf8', timeout: 30_000 });

it('what an interruption cannot carry is refused, and not forgotten', () => {
  for (const more of [
    ['--reason', 'the wrong shop'],
    ['--secs', '60'],
  ]) {
    const { status, stderr } = pilothouse('take', 'last', '--now', ...more);
    assert.deepEqual([status, /--now goes without --reason and --secs/.test(stderr)], [2, true], stderr);
  }
  assert.equal(pilothouse('take', 'last', '--now').status, 3, 'by itself it goes to the server');
});
